using Reloaded.Messaging.Tests.Support;

namespace Reloaded.Messaging.Tests.Udp;

/// <summary>Two channels without sockets and threads: the test decides when each datagram arrives, and whether it does.</summary>
internal sealed class HeldDatagrams : IAsyncDisposable
{
    private readonly Port _fromSender = new();
    private readonly Port _fromReceiver = new();
    private readonly byte[] _scratch = new byte[2048];

    public HeldDatagrams(UdpOptions? options = null)
    {
        Sender = new UdpChannel(_fromSender, 1, null, options ?? UdpOptions.Default, SenderCounts, "receiver", Time);
        Receiver = new UdpChannel(_fromReceiver, 1, null, options ?? UdpOptions.Default, Counts, "sender", Time);
    }

    public UdpChannel Sender { get; }

    public UdpChannel Receiver { get; }

    /// <summary>The clock of both sides.</summary>
    public ManualTime Time { get; } = new();

    /// <summary>The counters of the receiver.</summary>
    public DatagramCounters Counts { get; } = new();

    /// <summary>The counters of the sender.</summary>
    public DatagramCounters SenderCounts { get; } = new();

    /// <summary>The datagrams of the sender that have not arrived.</summary>
    public List<byte[]> Sent => _fromSender.Datagrams;

    /// <summary>The datagrams of the receiver that have not arrived.</summary>
    public List<byte[]> Answers => _fromReceiver.Datagrams;

    /// <summary>The datagrams that the receiver has sent.</summary>
    public int AnswerCount { get; private set; }

    /// <summary>Whether the datagrams of the receiver are lost.</summary>
    public bool LosesAnswers { get; set; }

    /// <summary>Sets what the thread that sends does before each datagram of the sender.</summary>
    public Action Sending
    {
        set => _fromSender.Sending = value;
    }

    /// <summary>Makes one of the sent datagrams arrive, and the acknowledgements with which the receiver answers.</summary>
    public void Deliver(int index = 0)
    {
        byte[] datagram;
        lock (Sent)
        {
            datagram = Sent[index];
            Sent.RemoveAt(index);
        }

        Deliver(datagram);
    }

    public void Deliver(ReadOnlySpan<byte> datagram)
    {
        if (Receiver.Take(datagram, _scratch, out _))
            Receiver.CompleteReceive();
        DeliverAnswers();
    }

    public void DeliverAnswers()
    {
        foreach (var answer in Answers.ToArray())
        {
            AnswerCount++;
            if (!LosesAnswers)
                Sender.Take(answer, _scratch, out _);
        }

        Answers.Clear();
    }

    public void DeliverAll()
    {
        while (Sent.Count > 0)
            Deliver();
    }

    /// <summary>Makes each datagram arrive at once, in memory that is not allocated.</summary>
    public void DeliverAtOnce()
    {
        _fromSender.Deliver = datagram => Receiver.Take(datagram, _scratch, out _);
        _fromReceiver.Deliver = datagram => Sender.Take(datagram, _scratch, out _);
    }

    /// <summary>Returns the bytes that have arrived, without waiting.</summary>
    public byte[] Received()
    {
        var buffer = new byte[64 * 1024];
        using var stopped = new CancellationTokenSource();
        var receiving = Receiver.ReceiveAsync(buffer, stopped.Token).AsTask();
        if (!receiving.IsCompleted)
            stopped.Cancel();
        return receiving.IsCompletedSuccessfully ? buffer[..receiving.Result] : [];
    }

    public async ValueTask DisposeAsync()
    {
        await Sender.DisposeAsync();
        await Receiver.DisposeAsync();
    }

    private sealed class Port : IDatagramPort
    {
        public delegate void Delivering(ReadOnlySpan<byte> datagram);

        public List<byte[]> Datagrams { get; } = [];

        public Delivering? Deliver { get; set; }

        public Action? Sending { get; set; }

        public void Send(ReadOnlySpan<byte> datagram)
        {
            Sending?.Invoke();
            if (Deliver is { } deliver)
            {
                deliver(datagram);
                return;
            }

            lock (Datagrams)
                Datagrams.Add(datagram.ToArray());
        }

        public void Release(UdpChannel channel)
        {
        }
    }
}
