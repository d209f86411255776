using System.Collections.Concurrent;
using System.Linq;
using System.Runtime.CompilerServices;
using Reloaded.Messaging.Hosting;
using Reloaded.Messaging.Tests.Support;
using Xunit;

namespace Reloaded.Messaging.Tests.Connections;

/// <summary>Each member of a transport throws, at each of its first calls. The hosts end, each channel is disposed, the exception is reported once, and nothing keeps the hosts alive.</summary>
public sealed class FailingTransportTests
{
    /// <summary>The number of calls of a member of which each throws in one run. Later calls are as the earlier ones.</summary>
    private const int Calls = 6;

    private static readonly string[] s_ofChannels =
    [
        nameof(TransportChannel.RemoteIdentity), nameof(TransportChannel.LostFrames), nameof(TransportChannel.SendAsync),
        nameof(TransportChannel.ReceiveAsync), nameof(TransportChannel.Abort), nameof(TransportChannel.DisposeAsync),
    ];

    private static int s_names;

    public static TheoryData<string> Members =>
    [
        "Transport.ListenAsync", "Transport.ConnectAsync", "Listener.Address", "Listener.Token", "Listener.AcceptAsync", "Listener.DisposeAsync",
        .. s_ofChannels.Skip(1).Select(static member => $"Channel.{member} of the client"), // only servers read the identity
        .. s_ofChannels.Select(static member => $"Channel.{member} of the server"),
    ];

    [Theory]
    [MemberData(nameof(Members))]
    public async Task Member_throws_at_each_call_hosts_end_and_report_it_once(string member)
    {
        for (var call = 1; call <= Calls; call++)
        {
            var run = await RunAsync(new FailingCall(member, call, IsAfter: false));
            if (run.HasThrown && (member.Contains("Dispose", StringComparison.Ordinal) || member.Contains("Abort", StringComparison.Ordinal)))
                run = await RunAsync(new FailingCall(member, call, IsAfter: true)); // it has done its work
            if (!run.HasThrown)
            {
                Assert.True(call > 1 || member is "Listener.Token" || member.Contains("Abort", StringComparison.Ordinal), $"{member} is not called.");
                return;
            }
        }
    }

    [Fact]
    public async Task Listener_throws_after_its_disposal_server_ends()
    {
        var server = Servers.Make(new ForgetfulListener(), new MessageHostOptions());
        server.Start();

        await server.DisposeAsync().AsTask().InTime();

        Assert.Equal(0, server.GetStatistics().FailedAccepts);
    }

    [Fact]
    public async Task Handshake_that_fails_during_the_disposal_is_reported_before_its_end()
    {
        var listener = new LateListener();
        var server = Servers.Make(listener, new MessageHostOptions());
        var failures = 0;
        server.HandlerFailed += _ => Interlocked.Increment(ref failures);
        server.Start();
        await listener.Asked.Task.InTime();

        await server.DisposeAsync().AsTask().InTime();

        Assert.Equal(1, Volatile.Read(ref failures));
    }

    private static async Task<FailingCall> RunAsync(FailingCall fault)
    {
        var transport = new FailingTransport(fault);
        var reports = new Reports(fault);
        var hosts = await ConnectAndEndAsync(transport, reports);

        // A disposal waits for its channels for a limited time. On a busy machine, they are disposed later, and a member may throw until then.
        await Signal.UntilAsync(() => transport.Channels.All(static channel => channel.Value > 0), () => $"A channel was not disposed: {fault}");
        if (Type.GetType("Mono.Runtime") is null) // its collector also keeps what only looks like a reference
        {
            await Signal.UntilAsync(() =>
            {
                GC.Collect();
                return hosts.TrueForAll(static host => !host.IsAlive);
            }, () => $"Alive after {fault}: {string.Join(", ", hosts.Select(static host => host.Target).OfType<MessageHost>().Select(static host => $"{host.Role} with {string.Join(", ", host.Registry.GetAll().Select(static peer => peer.Connection.State))}"))}. {reports}");
        }

        if (fault.HasThrown)
            await Signal.UntilAsync(() => reports.OfFault > 0, () => $"{fault} was not reported. {reports}");
        Assert.True(reports.OfFault == (fault.HasThrown ? 1 : 0), $"{fault} was reported {reports.OfFault} times. {reports}");
        return fault;
    }

    [MethodImpl(MethodImplOptions.NoInlining)]
    private static async Task<List<WeakReference>> ConnectAndEndAsync(FailingTransport transport, Reports reports)
    {
        var hosts = new List<WeakReference>();
        var endpoint = MessageEndpoint.Over(transport, $"failing-{Interlocked.Increment(ref s_names)}");
        var options = new MessageHostOptions { FlushTimeout = TimeSpan.FromMilliseconds(20), Reconnect = new ReconnectOptions { FirstDelay = TimeSpan.FromMilliseconds(1), MaxDelay = TimeSpan.FromMilliseconds(1) } };
        var failedAccepts = 0L;
        try
        {
            var server = await MessageHost.ListenAsync(endpoint, host => Observe(host).OnRequest((Ping ping) => new Pong(ping.Number)), options).InTime();
            try
            {
                await UseAsync(server, host => Observe(host), options).InTime();
            }
            catch (Exception e)
            {
                reports.Add(e); // the exception of ConnectAsync
            }

            await server.DisposeAsync().AsTask().InTime();
            failedAccepts = server.GetStatistics().FailedAccepts;
        }
        catch (Exception e)
        {
            reports.Add(e); // the exception of ListenAsync
        }

        if (transport.Failing is { Member: "Listener.AcceptAsync", HasThrown: true } accept && failedAccepts <= 1)
            reports.Add(accept.Exception); // the counter reports it, unless the server is being stopped
        return hosts;

        T Observe<T>(T host)
            where T : MessageHost
        {
            hosts.Add(new WeakReference(host));
            host.HandlerFailed += failure => reports.Add(failure.Exception, failure.Type);
            return host;
        }
    }

    private static async Task UseAsync(MessageServer server, Action<MessageClient> observe, MessageHostOptions options)
    {
        await using var client = await MessageHost.ConnectAsync(server.Endpoint, observe, options);
        for (var round = 0; round < 3; round++)
        {
            await client.TryRequestAsync<Ping, Pong>(new Ping(round));
            client.Send(new Ping(round));
            foreach (var peer in server.Peers)
                await peer.DisconnectAsync();
            await client.WaitForConnectionAsync();
        }

        await (await server.Endpoint.ConnectAsync(options.MakeTransportContext(), default)).DisposeAsync(); // a client that vanishes
    }

    /// <summary>The reported exceptions, as texts: an exception may keep a host alive.</summary>
    private sealed class Reports(FailingCall fault)
    {
        private readonly ConcurrentQueue<string> _others = new();
        private int _ofFault;

        public int OfFault => Volatile.Read(ref _ofFault);

        public void Add(Exception exception, uint type = 0)
        {
            if (exception == fault.Exception && type == 0) // a transport throws outside of messages
                Interlocked.Increment(ref _ofFault);
            else
                _others.Enqueue(exception.ToString());
        }

        public override string ToString() => $"Other reports: {string.Join(", ", _others)}";
    }

    /// <summary>Accepts one connection, whose token throws after the disposal has begun.</summary>
    private sealed class LateListener : TransportListener
    {
        private readonly TaskCompletionSource<TransportChannel?> _disposed = Signal.New<TransportChannel?>();
        private readonly ManualResetEventSlim _isDisposed = new();
        private TransportChannel? _channel = InProcessChannel.CreatePair("late").Server;

        public readonly TaskCompletionSource<bool> Asked = Signal.New<bool>();

        public override TransportAddress Address { get; } = new(InProcessTransport.Instance, "late", 0);

        public override ReadOnlyMemory<byte> Token
        {
            get
            {
                Asked.TrySetResult(true);
                _isDisposed.WaitInTime();
                Thread.Sleep(200); // the connection ends meanwhile
                throw new InvalidOperationException("late");
            }
        }

        public override ValueTask<TransportChannel?> AcceptAsync(CancellationToken cancellationToken) => Interlocked.Exchange(ref _channel, null) is { } channel ? new(channel) : new(_disposed.Task);

        public override ValueTask DisposeAsync()
        {
            _isDisposed.Set();
            _disposed.TrySetResult(null);
            return default;
        }
    }

    /// <summary>Throws after it was disposed, as a socket does.</summary>
    private sealed class ForgetfulListener : TransportListener
    {
        private readonly TaskCompletionSource<TransportChannel?> _disposed = Signal.New<TransportChannel?>();

        public override TransportAddress Address { get; } = new(InProcessTransport.Instance, "forgetful", 0);

        public override ValueTask<TransportChannel?> AcceptAsync(CancellationToken cancellationToken) => new(_disposed.Task);

        public override ValueTask DisposeAsync()
        {
            _disposed.TrySetException(new ObjectDisposedException("listener"));
            return default;
        }
    }
}
