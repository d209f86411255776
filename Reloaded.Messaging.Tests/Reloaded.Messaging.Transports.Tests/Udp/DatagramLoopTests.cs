using System.Net;
using System.Net.Sockets;
using Reloaded.Messaging.Tests.Support;
using Xunit;

namespace Reloaded.Messaging.Tests.Udp;

/// <summary>What a flood or an exception does to the thread that receives datagrams.</summary>
public sealed class DatagramLoopTests
{
    [Fact]
    public async Task Flood_that_never_ends_yields_the_thread_after_some_datagrams()
    {
        const int Most = 1000;
        using var socket = Bind();
        var receiver = new Refilling(socket, Most);
        new DatagramLoop(socket, receiver, 100).Start();

        socket.SendTo(new byte[1], socket.LocalEndPoint!);
        await receiver.Done.Task.InTime();

        Assert.InRange(receiver.LongestRun, 1, DatagramLoop.MaxPerRun);
    }

    [Fact]
    public async Task Waiting_datagrams_of_many_channels_are_received_in_one_run_and_a_handler_that_blocks_delays_no_other()
    {
        const int Channels = 10;
        using var socket = Bind();
        var receiver = new Dispatching(Channels);
        using var others = new CountdownEvent(Channels - 2);
        var handled = new Task[Channels];
        for (var i = 0; i < Channels; i++)
        {
            handled[i] = HandleAsync(receiver.Channels[i], isBlocked: i is 0 or Channels - 1, others);
            byte[] datagram = [DatagramFormat.Plain, (byte)i, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, (byte)DatagramPart.Frames, 2, 0, 1, 7];
            socket.SendTo(datagram, socket.LocalEndPoint!);
        }

        new DatagramLoop(socket, receiver, 100).Start();
        await Task.WhenAll(handled).InTime();

        Assert.Equal(Channels, receiver.LongestRun);
    }

    [Fact]
    public async Task Receiver_that_throws_gets_the_exception_and_the_next_datagram()
    {
        using var socket = Bind();
        var receiver = new Throwing();
        new DatagramLoop(socket, receiver, 100).Start();

        for (var i = 0; i < 3; i++)
            socket.SendTo(new byte[1], socket.LocalEndPoint!);

        await Signal.UntilAsync(() => receiver.Failures == 3);
    }

    [Fact]
    public async Task Loop_continues_after_any_number_of_refused_datagrams()
    {
        Assert.SkipWhen(OperatingSystem.IsWindows(), "Windows and Wine report refused datagrams in another way. Run the test on Linux or macOS.");
        using var remote = Bind();
        var address = (IPEndPoint)remote.LocalEndPoint!;
        remote.Dispose(); // datagrams to this port are refused now
        using var socket = Bind();
        await socket.ConnectAsync(address);
        var receiver = new Throwing();
        new DatagramLoop(socket, receiver, 100).Start();

        for (var i = 0; i < 500; i++)
            await SendAnywayAsync(socket);
        using var later = new Socket(AddressFamily.InterNetwork, SocketType.Dgram, ProtocolType.Udp);
        later.Bind(address);
        later.SendTo(new byte[1], socket.LocalEndPoint!);

        await Signal.UntilAsync(() => receiver.Failures == 1);
        Assert.Null(receiver.Stopped);
    }

    /// <summary>Sends a datagram, also if the system reports that an earlier one was refused.</summary>
    private static async Task SendAnywayAsync(Socket socket)
    {
        await Task.Delay(1); // so that the loop receives most of the reports
        try
        {
            socket.Send(new byte[1]);
        }
        catch (SocketException e)
        {
            Assert.Equal(SocketError.ConnectionRefused, e.SocketErrorCode);
        }
    }

    private static async Task HandleAsync(UdpChannel channel, bool isBlocked, CountdownEvent others)
    {
        Assert.Equal(2, await channel.ReceiveAsync(new byte[100], CancellationToken.None).ConfigureAwait(false));
        if (isBlocked)
            Assert.True(others.Wait(TimeSpan.FromSeconds(30)));
        else
            others.Signal();
    }

    private static Socket Bind()
    {
        var socket = new Socket(AddressFamily.InterNetwork, SocketType.Dgram, ProtocolType.Udp);
        socket.Bind(new IPEndPoint(IPAddress.Loopback, 0));
        return socket;
    }

    /// <summary>Sends itself a datagram for each that it gets. Counts how many it gets within one work item: the pool clears what an AsyncLocal holds after each.</summary>
    private sealed class Refilling(Socket socket, int most) : IDatagramReceiver
    {
        private readonly AsyncLocal<int> _run = new();
        private int _count;

        public TaskCompletionSource<bool> Done { get; } = Signal.New<bool>();

        public int LongestRun { get; private set; }

        public UdpChannel? Receive(ReadOnlySpan<byte> datagram, SocketAddress from)
        {
            LongestRun = Math.Max(LongestRun, ++_run.Value);
            if (++_count < most)
                socket.SendTo(datagram, socket.LocalEndPoint!);
            else
                Done.SetResult(true);
            return null;
        }

        public void Fail(Exception exception) => Done.TrySetException(exception);

        public void Stop(SocketError reason) => Done.TrySetCanceled();
    }

    /// <summary>Gives each datagram to the channel with its number, and counts how many it gets within one work item.</summary>
    private sealed class Dispatching : IDatagramReceiver, IDatagramPort
    {
        private readonly AsyncLocal<int> _run = new();

        public Dispatching(int channels)
        {
            for (var i = 0; i < channels; i++)
                Channels.Add(new UdpChannel(this, (ulong)i, keys: null, UdpOptions.Default, new DatagramCounters(), $"client {i}", TimeProvider.System));
        }

        public List<UdpChannel> Channels { get; } = [];

        public int LongestRun { get; private set; }

        public UdpChannel? Receive(ReadOnlySpan<byte> datagram, SocketAddress from)
        {
            LongestRun = Math.Max(LongestRun, ++_run.Value);
            var channel = Channels[datagram[1]];
            return channel.Take(datagram, default, out _) ? channel : null;
        }

        public void Fail(Exception exception) => throw exception;

        public void Stop(SocketError reason)
        {
            // The test has closed the socket.
        }

        public void Send(ReadOnlySpan<byte> datagram)
        {
            // No remote side waits for an acknowledgement.
        }

        public void Release(UdpChannel channel)
        {
            // The socket belongs to the test.
        }
    }

    private sealed class Throwing : IDatagramReceiver
    {
        private int _failures;

        public int Failures => Volatile.Read(ref _failures);

        public SocketError? Stopped { get; private set; }

        public UdpChannel? Receive(ReadOnlySpan<byte> datagram, SocketAddress from) => throw new NotSupportedException();

        public void Fail(Exception exception) => Interlocked.Increment(ref _failures);

        public void Stop(SocketError reason) => Stopped = reason;
    }
}
