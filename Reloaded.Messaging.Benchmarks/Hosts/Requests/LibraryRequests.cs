using System.Diagnostics;
using System.Diagnostics.CodeAnalysis;
using System.Linq;
using Reloaded.Messaging.Hosting;
using Reloaded.Messaging.Hosting.BuildingBlocks;
using Reloaded.Messaging.Wire;

namespace Reloaded.Messaging.Benchmarks.Hosts.Requests;

/// <summary>The same by the library: two hosts with the default options, except that continuations run on the thread that receives, and that no keep-alive is sent meanwhile.</summary>
[SuppressMessage("Reliability", "CA2012:Use ValueTasks correctly", Justification = "Each is consumed once, after it has completed.")]
internal sealed class LibraryRequests : HandDriven, IAsyncDisposable
{
    /// <summary>The names of the parts, in their order.</summary>
    public static readonly string[] Parts = ["begin", "pack", "append", "read", "handle", "reply", "take", "decode", "complete", "fetch"];

    private static readonly MessageHostOptions s_options = new() { AllowSynchronousContinuations = true, PingInterval = TimeSpan.FromHours(1), KeepAliveTimeout = TimeSpan.FromHours(4) };
    private static readonly MessageContract<EchoBytes> s_contract = MessageContract.GetDeclared<EchoBytes>();

    private readonly MessageServer _server;
    private readonly MessageClient _client;
    private readonly ValueTask<EchoBytes>[] _replies = new ValueTask<EchoBytes>[InFlight];
    private readonly PendingRequest<EchoBytes>[] _pending = new PendingRequest<EchoBytes>[InFlight];
    private readonly PendingRequest[] _taken = new PendingRequest[InFlight];
    private readonly PackedMessage[] _packed = new PackedMessage[InFlight];
    private readonly ReplayChannel _replay = new();
    private readonly FrameReader _reader;

    private LibraryRequests()
    {
        var endpoint = MessageEndpoint.Over(new HandTransport(ToServer, ToClient), "opened");
        var listening = MessageHost.ListenAsync(endpoint, static host => host.OnRequest(static (in EchoBytes message, Peer _) => message), s_options);
        _server = listening.GetAwaiter().GetResult();
        var connecting = MessageHost.ConnectAsync(endpoint, options: s_options);
        while (!connecting.IsCompleted)
        {
            ToServer.Deliver();
            ToClient.Deliver();
            Thread.Yield();
        }

        _client = connecting.GetAwaiter().GetResult();
        _reader = new FrameReader(_replay);
    }

    private Peer Peer => _client.Server;

    public static LibraryRequests Start() => new();

    public async ValueTask DisposeAsync()
    {
        await _client.DisposeAsync();
        await _server.DisposeAsync();
        _reader.Dispose();
    }

    /// <summary>Takes a block of requests through the parts of the library, each for the whole block, and adds the time of each part.</summary>
    /// <param name="ticks">The ticks of <see cref="Stopwatch"/> of each part.</param>
    public void RunParts(long[] ticks)
    {
        var (sender, table, from) = (Peer.Connection.Sender, Peer.Requests.Unanswered, _server.Peers.Single());
        var part = 0;

        Time(() =>
        {
            for (var i = 0; i < InFlight; i++)
                table.TryBegin(Peer.Requests, s_contract, s_options.MessageLimits, s_options.RequestTimeout, default, out _pending[i], out _);
        });
        for (var i = 0; i < InFlight; i++)
            _replies[i] = _pending[i].ReplyTask;

        Time(() =>
        {
            for (var i = 0; i < InFlight; i++)
                sender.PackRequest(s_contract, new EchoBytes(Payloads[i]), _pending[i].Id).Dispose();
        });
        for (var i = 0; i < InFlight; i++)
            _packed[i] = sender.PackRequest(s_contract, new EchoBytes(Payloads[i]), _pending[i].Id);

        Peer.Cork();
        Time(() =>
        {
            for (var i = 0; i < InFlight; i++)
                _ = sender.Send(s_contract, _packed[i], isLast: false, MessageKind.Request);
        });
        Array.ForEach(_packed, static packed => packed.Dispose());
        Peer.Uncork();
        Settle();

        var requests = ToServer.Take();
        _replay.Bytes = requests;
        Time(() =>
        {
            while (_reader.FillAsync(default).GetAwaiter().GetResult())
            {
                while (_reader.TryRead(out var frame) == FrameStatus.Ok)
                    ReceivedMessage.TryRead(frame, out _);
            }
        });

        var frames = FramesOf(requests);
        from.Connection.Outbox.Cork();
        Time(() =>
        {
            for (var i = 0; i < InFlight; i++)
            {
                ReceivedMessage.TryRead(frames[i].Span, out var message);
                MessageHandling.Run(_server, in message, new MessageContext(from, 0, MessageKind.Request, s_contract.Type, _pending[i].Id));
            }
        });
        from.Connection.Outbox.Uncork();
        Settle();
        var replies = FramesOf(ToClient.Take());

        from.Connection.Outbox.Cork();
        Time(() =>
        {
            for (var i = 0; i < InFlight; i++)
                from.Replies.TryReply(s_contract, new EchoBytes(Payloads[i]), _pending[i].Id);
        });
        from.Connection.Outbox.Uncork();
        Settle();
        ToClient.Take();

        Time(() =>
        {
            for (var i = 0; i < InFlight; i++)
                table.TryTake(_pending[i].Id, out _taken[i]!);
        });
        MessageHeader.TryRead(replies[0].Span, out var header, out _);
        Time(() =>
        {
            for (var i = 0; i < InFlight; i++)
                _taken[i].SetReply(in header, replies[i].Span.Slice(replies[i].Length - Size - 1));
        });
        Time(() =>
        {
            for (var i = 0; i < InFlight; i++)
                _taken[i].Complete();
        });
        Time(() =>
        {
            if (Return() != InFlight)
                throw new InvalidOperationException($"The replies differ from the {InFlight} requests.");
        });

        void Time(Action work)
        {
            var start = Stopwatch.GetTimestamp();
            work();
            ticks[part++] += Stopwatch.GetTimestamp() - start;
        }
    }

    protected override void Send()
    {
        Peer.Cork();
        for (var i = 0; i < InFlight; i++)
            _replies[i] = Peer.RequestAsync<EchoBytes, EchoBytes>(new EchoBytes(Payloads[i]));
    }

    protected override void Flush() => Peer.Uncork();

    protected override void Settle()
    {
        while (Peer.Connection.Outbox.PendingBytes > 0 || _server.Peers.Single().Connection.Outbox.PendingBytes > 0)
            Thread.Yield();
    }

    protected override int Return()
    {
        var equal = 0;
        for (var i = 0; i < InFlight; i++)
        {
            if (_replies[i].GetAwaiter().GetResult().Data.AsSpan().SequenceEqual(Payloads[i]))
                equal++;
        }

        return equal;
    }

    private static List<ReadOnlyMemory<byte>> FramesOf(byte[] bytes)
    {
        var frames = new List<ReadOnlyMemory<byte>>();
        ReadOnlySpan<byte> rest = bytes;
        while (Frame.TryRead(ref rest, int.MaxValue, out var message) == FrameStatus.Ok)
        {
            if (MessageHeader.TryRead(message, out var header, out _) == HeaderStatus.Ok && header.Kind != MessageKind.Control) // a timer sends pings
                frames.Add(bytes.AsMemory(bytes.Length - rest.Length - message.Length, message.Length));
        }

        return frames;
    }

    private sealed class ReplayChannel : TransportChannel
    {
        public override string RemoteName => "recorded bytes";

        public ReadOnlyMemory<byte> Bytes { get; set; }

        public override ValueTask SendAsync(ReadOnlyMemory<byte> frames, CancellationToken cancellationToken) => throw new NotSupportedException();

        public override ValueTask<int> ReceiveAsync(Memory<byte> buffer, CancellationToken cancellationToken)
        {
            var count = Math.Min(buffer.Length, Bytes.Length);
            Bytes.Slice(0, count).CopyTo(buffer);
            Bytes = Bytes.Slice(count);
            return new ValueTask<int>(count);
        }

        public override void Abort()
        {
        }

        public override ValueTask DisposeAsync() => default;
    }
}
