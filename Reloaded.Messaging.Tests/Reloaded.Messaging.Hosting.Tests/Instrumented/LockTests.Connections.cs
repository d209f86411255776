using System.IO;
using Reloaded.Messaging.Hosting;
using Reloaded.Messaging.Tests.Handlers;
using Reloaded.Messaging.Tests.Support;
using Xunit;
using static Reloaded.Messaging.Tests.Support.HeldLocks;

namespace Reloaded.Messaging.Tests.Instrumented;

/// <content>Transports, clocks, clients that reconnect, waits, and what a program attaches to peers.</content>
public sealed partial class LockTests
{
    public static TheoryData<string> Transports => ["in-process", "tcp", "tls", "udp", "protected udp", "protected tcp", "local", "pipe", "shared memory", "web socket"];

    [Theory]
    [MemberData(nameof(Transports))]
    public Task Handlers_run_under_no_lock_of_a_transport(string transport) => LockScenario.CheckAsync(ExchangeOverAsync, transport);

    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public Task Transport_of_the_program_is_called_under_no_lock(bool isDatagrams) => LockScenario.CheckAsync(UseTransportAsync, isDatagrams);

    [Fact]
    public Task Clock_of_the_program_is_read_under_no_lock_of_a_host() => LockScenario.CheckAsync(ReadClockAsync);

    [Fact]
    public Task Clock_and_timers_of_the_program_are_used_under_no_lock_of_datagrams() => LockScenario.CheckAsync(UseTimersAsync);

    [Fact]
    public Task Callbacks_of_clients_that_reconnect_run_under_no_lock() => LockScenario.CheckAsync(ReconnectAsync);

    [Fact]
    public Task Code_after_waits_runs_under_no_lock() => LockScenario.CheckAsync(WaitAsync);

    [Fact]
    public Task Code_for_peers_and_groups_runs_under_no_lock() => LockScenario.CheckAsync(SelectAsync);

    /// <summary>Handlers, taps and the code after a request, over one of the transports.</summary>
    internal static async Task ExchangeOverAsync(string transport)
    {
        using var certificates = new Certificates();
        using var pipes = new PipeNames();
        var folder = Directory.CreateTempSubdirectory("rm-locks");
        var name = $"locks-{Environment.ProcessId}-{Guid.NewGuid():N}";
        var (listens, connects) = transport switch
        {
            "in-process" => Same(MessageEndpoint.InProcess(name)),
            "tcp" or "protected tcp" => Same(MessageEndpoint.Tcp(0)),
            "tls" => (MessageEndpoint.Tcp("127.0.0.1", 0, certificates.Server), certificates.Pinning),
            "udp" or "protected udp" => Same(MessageEndpoint.Udp(0, maxFragments: 8)),
            "local" => Same(MessageEndpoint.Unix(Path.Combine(folder.FullName, "socket"))),
            "pipe" => Same(pipes.Next()),
            "shared memory" => Same(MessageEndpoint.SharedMemory(name)),
            _ => Same(MessageEndpoint.WebSocket(0, new WebSocketEndpointOptions { RequireToken = false })),
        };
        var options = new MessageHostOptions
        {
            AllowSynchronousContinuations = true,
            Token = transport.StartsWith("protected", StringComparison.Ordinal) ? new byte[32] : default,
            Protection = transport.StartsWith("protected", StringComparison.Ordinal) ? ProtectionOptions.WithToken() : null,
        };
        var server = await MessageHost.ListenAsync(
            listens,
            static host =>
            {
                CheckEvents(host);
                CheckTap(host, "server");
                host.On(static (in Note _, Peer _) => Check("event handler"));
                host.OnRequest(static (Ping ping) =>
                {
                    Check("request handler");
                    return new Pong(ping.Number);
                });
            },
            options);
        var endpoint = connects is null ? server.Endpoint : MessageEndpoint.Tcp("127.0.0.1", server.Endpoint.Port, connects);
        var client = await MessageHost.ConnectAsync(endpoint, static host => CheckTap(host, "client"), options);
        var large = new Note(new string('a', transport.Contains("udp", StringComparison.Ordinal) ? 3000 : 400_000));
        for (var i = 0; i < 20; i++)
        {
            await client.SendAsync(large);
            await LockScenario.ContinueAsync("continuation of a reply", client.RequestAsync<Ping, Pong>(new Ping(1)).AsTask());
        }

        await UntilCalledAsync("event handler", "request handler", "PeerConnected", "server: Received Event", "server: Sent Reply", "client: Received Reply");
        await client.DisposeAsync();
        await UntilCalledAsync("PeerDisconnected");
        await server.DisposeAsync();
        folder.Delete(recursive: true);

        static (MessageEndpoint, TlsOptions?) Same(MessageEndpoint endpoint) => (endpoint, null);
    }

    /// <summary>All members of a transport, of a listener, and of a channel of the program.</summary>
    internal static async Task UseTransportAsync(bool isDatagrams)
    {
        var transport = new CheckingTransport(isDatagrams);
        var endpoint = MessageEndpoint.Over(transport, NextEndpoint().Address);
        var options = new MessageHostOptions { PingInterval = TimeSpan.FromMilliseconds(50), KeepAliveTimeout = TimeSpan.FromMilliseconds(500), FlushTimeout = TimeSpan.FromMilliseconds(100) };
        var patient = options with { KeepAliveTimeout = TimeSpan.FromHours(1) }; // otherwise the server may end the connection before the client finds the server silent
        var (server, client) = await ConnectAsync(server: static host => host.OnRequest(static (Ping ping) => new Pong(ping.Number)), serverOptions: patient, clientOptions: options, endpoint: endpoint);
        client.Deliver<Note>(DeliveryMode.Sequenced);
        for (var i = 0; i < 20; i++)
        {
            client.Send(new Note("a"));
            await client.RequestAsync<Ping, Pong>(new Ping(i));
        }

        client.On(static (in Pong _, Peer _) => { }); // announces its contract
        _ = client.Server.GetStatistics();
        _ = client.Server.RemoteName;
        transport.Hold();
        client.Send(new Note("a"));
        server.Broadcast(new Note("a"));
        await UntilCalledAsync("PeerDisconnected"); // because the sends do not continue
        transport.Release();
        await (await MessageHost.ConnectAsync(endpoint, options: patient)).DisposeAsync(); // sends a goodbye
        await DisposeAsync(client, server);
        foreach (var member in (string[])["Transport.ListenAsync", "Transport.ConnectAsync", "TransportListener.AcceptAsync", "TransportListener.DisposeAsync", "TransportListener.Address"])
            await UntilCalledAsync(member);
        string[] ofChannels = ["ReceiveAsync", "Abort", "DisposeAsync", "RemoteName", "RemoteIdentity", "SentBytes", "HasUnread", "LostFrames", "SendAsync"];
        foreach (var member in isDatagrams ? [.. ofChannels, "TryQueue", "Flush", "FlushAsync", "Seal", "PendingBytes", "MaxMessageSize", "MaxReliableMessageSize", "Path", "OutdatedDatagrams"] : ofChannels)
            await UntilCalledAsync($"{(isDatagrams ? nameof(DatagramChannel) : nameof(TransportChannel))}.{member}");
    }

    /// <summary>The clock of a host with limits, and of a lock-out.</summary>
    internal static async Task ReadClockAsync()
    {
        var time = new CheckingTime("host");
        var transport = new CheckingTransport();
        var endpoint = MessageEndpoint.Over(transport, NextEndpoint().Address);
        var options = new MessageHostOptions { TimeProvider = time, IdleTimeout = TimeSpan.FromHours(1), Token = Token(1), Limits = new HostLimits { MessagesPerSecond = 1000, BytesPerSecond = 1_000_000, MaxFailedProofs = 1 } };
        var (server, client) = await ConnectAsync(server: static host => host.OnRequest(static (Ping ping) => new Pong(ping.Number)), serverOptions: options, clientOptions: options, endpoint: endpoint);
        await client.RequestAsync<Ping, Pong>(new Ping(1));
        for (var i = 0; i < 2; i++)
            await Assert.ThrowsAsync<HandshakeException>(() => MessageHost.ConnectAsync(endpoint, options: new MessageHostOptions { Token = Token(2) }));
        time.Advance(TimeSpan.FromHours(2));
        await UntilCalledAsync("PeerDisconnected", "ConnectionRefused"); // idle, and locked out
        await DisposeAsync(client, server);

        var lockout = new AddressLockout(new CheckingTime("lock-out"), maxFailures: 2);
        for (var i = 0; i < 3; i++)
        {
            lockout.NoteFailure("address");
            Assert.Equal(i > 0, lockout.IsLockedOut("address"));
        }

        await UntilCalledAsync("host: GetTimestamp", "lock-out: GetTimestamp");

        static byte[] Token(byte value)
        {
            var token = new byte[32];
            Array.Fill(token, value);
            return token;
        }
    }

    /// <summary>The clock of a UDP server, which times cookies, resends, acknowledgements and fragments. A part of the datagrams is lost.</summary>
    internal static async Task UseTimersAsync()
    {
        var context = new TransportContext { TimeProvider = new CheckingTime("udp"), Token = new byte[32], Protection = ProtectionOptions.WithToken() };
        await using var proxy = new UdpProxy();
        var (losesTo, losesFrom) = (0, 0); // one datagram of so many is lost
        var count = 0;
        proxy.Treat = (datagram, toServer) => (toServer ? losesTo : losesFrom) is > 0 and var every && Interlocked.Increment(ref count) % every == 0 ? [] : [datagram];
        await using var listener = await MessageEndpoint.Udp(0, maxFragments: 8).ListenAsync(context);
        proxy.Start(listener.Endpoint);
        var accepting = listener.AcceptAsync(default).AsTask();
        var client = await MessageEndpoint.Udp(proxy.Endpoint.Port, maxFragments: 8).ConnectAsync(context);
        var server = (await accepting.InTime())!;
        Task[] receiving = [ReceiveAsync(server, "continuation of a receive of the server"), ReceiveAsync(client, "continuation of a receive of the client")];
        for (var i = 0; i < 30; i++)
            await client.SendAsync(Frame(10), Delivery.Reliable, default).AsTask().InTime(); // later acknowledgements are delayed

        losesTo = 3;
        for (var i = 0; i < 10; i++)
        {
            await client.SendAsync(Frame(5000), Delivery.Unreliable, default);
            await client.SendAsync(Frame(5000), Delivery.Sequenced(1), default);
        }

        (losesTo, losesFrom) = (0, 3);
        for (var i = 0; i < 10; i++)
            await server.SendAsync(Frame(5000), Delivery.ReliableOrdered, default);
        ((DatagramChannel)server).Seal(new byte[10]);
        await ((DatagramChannel)server).FlushAsync().InTime(); // all have arrived
        await client.DisposeAsync();
        await UntilCalledAsync("udp: GetTimestamp", "udp: CreateTimer", "udp: Change", "udp: Dispose", "continuation of a receive of the server", "continuation of a receive of the client");
        await server.DisposeAsync();
        await Task.WhenAll(receiving);

        static async Task ReceiveAsync(TransportChannel channel, string continuation)
        {
            var buffer = new byte[10_000];
            try
            {
                while (await channel.ReceiveAsync(buffer, default) > 0)
                    Check(continuation);
            }
            catch (TransportClosedException)
            {
                Check("end of a receive");
            }
        }

        static byte[] Frame(int size) => [.. RawPeer.Length(size), .. new byte[size]];
    }

    /// <summary>The choice of the next endpoint, the event of a failed attempt, and requests that are sent again.</summary>
    internal static async Task ReconnectAsync()
    {
        var endpoint = NextEndpoint();
        var options = new MessageHostOptions
        {
            Reconnect = new ReconnectOptions
            {
                FirstDelay = TimeSpan.FromMilliseconds(10),
                ResendsRequests = true,
                NextEndpoint = attempt =>
                {
                    Check("choice of the next endpoint");
                    return new(endpoint);
                },
            },
        };
        var server = await MessageHost.ListenAsync(endpoint, static host => host.OnRequest(static async (Ping _, Peer _, CancellationToken token) =>
        {
            Check("silent handler");
            await Task.Delay(Timeout.Infinite, token);
            return default(Pong);
        }));
        var client = await MessageHost.ConnectAsync(endpoint, CheckEvents, options);
        var requests = new Task[10];
        for (var i = 0; i < requests.Length; i++)
            requests[i] = LockScenario.ContinueAsync("continuation of a request that is sent again", client.RequestAsync<Ping, Pong>(new Ping(i), Deadline.Length).AsTask());
        await UntilCalledAsync("silent handler");
        await server.DisposeAsync();
        await UntilCalledAsync("ReconnectFailed", "choice of the next endpoint");
        var waiting = LockScenario.ContinueAsync("continuation of a wait for a connection", client.WaitForConnectionAsync());
        var inContext = LockScenario.AwaitInContextAsync("context of a wait for a connection", () => client.WaitForConnectionAsync());
        server = await MessageHost.ListenAsync(endpoint, static host => host.OnRequest(static (Ping ping) => new Pong(ping.Number)));
        await Task.WhenAll(requests);
        await waiting;
        await inContext;
        await server.DisposeAsync();
        var ended = LockScenario.ContinueAsync("continuation of a request that is not sent", client.TryRequestAsync<Ping, Pong>(new Ping(1)).AsTask());
        await client.DisposeAsync();
        await ended;
    }

    /// <summary>The code after waits for the outbox, in a synchronization context of the program and on the thread that ends the wait.</summary>
    internal static async Task WaitAsync()
    {
        var transport = new CheckingTransport();
        var options = new MessageHostOptions { Limits = new HostLimits { MaxPendingBytes = 100_000 } };
        var (server, client) = await ConnectAsync(server: static host => host.On(static (in Note _, Peer _) => { }), clientOptions: options, endpoint: MessageEndpoint.Over(transport, NextEndpoint().Address));
        await client.Server.FlushAsync();
        transport.Hold(size: 60_000);
        var large = new Note(new string('a', 60_000));
        client.Send(large);
        await UntilCalledAsync("held send");
        Assert.Equal(SendStatus.Sent, client.Send(large)); // the outbox has no room for another one
        var waits = new List<Task>
        {
            LockScenario.ContinueAsync("continuation of a flush", client.Server.FlushAsync()),
            LockScenario.AwaitInContextAsync("context of a flush", () => client.Server.FlushAsync()),
            LockScenario.ContinueAsync("continuation of a send", client.SendAsync(large).AsTask()),
            LockScenario.AwaitInContextAsync("context of a send", async () => await client.SendAsync(large)),
        };
        Assert.DoesNotContain(waits, static wait => wait.IsCompleted);
        transport.Release();
        await Task.WhenAll(waits);

        transport.Hold();
        client.Send(new Note("a"));
        waits =
        [
            LockScenario.ContinueAsync("continuation of a flush that ends", client.Server.FlushAsync()),
            LockScenario.AwaitInContextAsync("context of a flush that ends", () => client.Server.FlushAsync()),
            LockScenario.AwaitInContextAsync("context of a disconnect", () => client.Server.DisconnectAsync()),
            LockScenario.AwaitInContextAsync("context of a stop", () => client.StopAsync()),
            LockScenario.AwaitInContextAsync("context of a disposal", async () => await client.DisposeAsync()),
        ];
        await Task.WhenAll(waits);
        await UntilCalledAsync("context of a flush", "context of a send", "context of a flush that ends", "context of a disconnect", "context of a stop", "context of a disposal");
        transport.Release();
        await server.DisposeAsync();
    }

    /// <summary>The creation of the value of a peer, the handlers that receive it, and the selection of peers.</summary>
    internal static async Task SelectAsync()
    {
        var (server, client) = await ConnectAsync(server: static host =>
        {
            var values = new PeerState<int>(static _ =>
            {
                Check("creation of a value");
                return 1;
            });
            values.On(host, static (in Ping _, ref int _) => Check("event handler with a value"));
            values.OnRequest(host, static (in Note note, ref int _) =>
            {
                Check("request handler with a value");
                return note;
            });
        });
        client.Send(new Ping(1));
        await client.RequestAsync<Note, Note>(new Note("a"));
        await UntilCalledAsync("creation of a value", "event handler with a value", "request handler with a value");

        var interest = default(CheckingInterest);
        Assert.Equal(1, server.AllPeers.Broadcast(new Ping(1), ref interest));
        await UntilCalledAsync("selection of a peer");
        await DisposeAsync(client, server);
    }

    private readonly struct CheckingInterest : IPeerInterest
    {
        public bool Includes(Peer peer)
        {
            Check("selection of a peer");
            return true;
        }
    }
}
