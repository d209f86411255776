using System.Diagnostics;
using System.Linq;
using Reloaded.Messaging.Benchmarks.Hosts;
using Reloaded.Messaging.Hosting;

namespace Reloaded.Messaging.Benchmarks.Growth;

/// <summary>What can grow. Each case makes a number of things, and returns the time and the allocated bytes for each of them.</summary>
internal static class GrowthCases
{
    private const uint FirstType = 1000; // after the types of the messages of this program
    private const int Most = 20_000; // above each number of a case

    private static int s_names;

    /// <summary>The cases: the name, the largest number, the measurement, and the expected exponents. A host accepts 4,096 contracts and unanswered requests.</summary>
    public static readonly (string Name, int Largest, Func<int, Task<Cost>> MeasureAsync, Cost Expected)[] All =
    [
        ("types.register", 10_000, static count => Now(count, new MessageDispatcher<int>(), Register), default),
        ("types.remove", 10_000, RemoveTypesAsync, default),
        ("types.dispatch", 10_000, DispatchAsync, default),
        ("contracts.register", 1000, RegisterContractsAsync, default),
        ("contracts.connect", 1000, ConnectWithContractsAsync, default),
        ("contracts.send", 1000, SendContractsAsync, default),
        ("peers.connect", 1000, static count => WithPeersAsync(count, static (_, _, _) => { }, isConnectMeasured: true), default),
        ("peers.broadcast", 1000, static count => WithPeersAsync(count, static (server, _, count) => Expect(count, server.Broadcast(new OneWayMessage(1, 2, 3)))), default),
        ("peers.send", 1000, static count => WithPeersAsync(count, static (server, _, count) => Expect(count, server.Peers.Count(static peer => peer.Send(new OneWayMessage(1, 2, 3)) == SendStatus.Sent))), default),
        ("peers.events", 1000, RaiseForPeersAsync, default),
        ("groups", 10_000, static count => WithPeersAsync(1, (server, _, _) => JoinAndLeave(server, count), count), default),
        ("requests", 1000, RequestsAsync, default),
        ("streams", 1000, StreamsAsync, default),
        ("subscriptions", 10_000, SubscriptionsAsync, new Cost(1, 1)), // a removal searches and copies, as that of an event of C# does
        ("queue", 10_000, static count => Now(count, new MessageQueue<int>(Most), Queue), new Cost(0, 1)), // a thread keeps 1,024 spare buffers, and allocates more
        ("bytes", 10_000, BytesAsync, default),
    ];

    private static MessageHostOptions Options => new() { Limits = new HostLimits { MaxPeers = Most, MaxPeersPerAddress = Most, MaxStreams = Most, MaxUnansweredRequests = 4096, MaxRunningHandlers = Most } };

    private static MessageEndpoint NextEndpoint() => MessageEndpoint.InProcess($"growth-{Interlocked.Increment(ref s_names)}");

    private static MessageContract<OneWayMessage> Contract(int index) => new(FirstType + (uint)index, MessageContract.GetDeclared<OneWayMessage>().Serializer);

    private static void Register(MessageDispatcher<int> dispatcher, int count)
    {
        for (var i = 0; i < count; i++)
            _ = dispatcher.Register(Contract(i), static (in OneWayMessage _, ref int handled) => handled++);
    }

    private static void Register(MessageHost host, int count)
    {
        for (var i = 0; i < count; i++)
            _ = host.On(Contract(i), static (in OneWayMessage _, Peer _) => { });
    }

    private static Task<Cost> RemoveTypesAsync(int count)
    {
        var dispatcher = new MessageDispatcher<int>();
        Register(dispatcher, count);
        return Now(count, dispatcher, static (dispatcher, count) => Expect(count, Enumerable.Range(0, count).Count(i => dispatcher.Remove(FirstType + (uint)i))));
    }

    private static Task<Cost> DispatchAsync(int count)
    {
        var (dispatcher, writer) = (new MessageDispatcher<int>(), new MessageWriter());
        Register(dispatcher, count);
        var messages = Enumerable.Range(0, count).Select(i =>
        {
            using var packed = writer.Pack(Contract(i), new OneWayMessage(1, 2, 3));
            return packed.Span.ToArray();
        }).ToArray();
        return Now(count, messages, (messages, count) =>
        {
            var handled = 0;
            foreach (var message in messages)
                dispatcher.Dispatch(message, ref handled);
            Expect(count, handled);
        });
    }

    private static async Task<Cost> RegisterContractsAsync(int count)
    {
        await using var server = await MessageHost.ListenAsync(NextEndpoint(), options: Options);
        return await Now(count, server, static (server, count) => Register(server, count));
    }

    private static async Task<Cost> ConnectWithContractsAsync(int count)
    {
        var endpoint = NextEndpoint();
        await using var server = await MessageHost.ListenAsync(endpoint, host => Register(host, count), Options);
        var meter = new Meter();
        await using var client = await MessageHost.ConnectAsync(endpoint, host => Register(host, count), Options);
        return meter.For(count);
    }

    private static async Task<Cost> SendContractsAsync(int count)
    {
        var endpoint = NextEndpoint();
        var contracts = Enumerable.Range(0, count).Select(Contract).ToArray();
        await using var server = await MessageHost.ListenAsync(endpoint, host => Register(host, count), Options);
        await using var client = await MessageHost.ConnectAsync(endpoint, options: Options);
        Send();
        var meter = new Meter();
        Send(); // the first messages compare the contracts
        return meter.For(count);

        void Send() => Expect(count, contracts.Count(contract => client.Server.Send(contract, new OneWayMessage(1, 2, 3)) == SendStatus.Sent));
    }

    private static async Task<Cost> WithPeersAsync(int count, Action<MessageServer, List<MessageClient>, int> run, int units = 0, bool isConnectMeasured = false)
    {
        var endpoint = NextEndpoint();
        await using var server = await MessageHost.ListenAsync(endpoint, options: Options);
        var clients = new List<MessageClient>();
        var meter = new Meter();
        for (var i = 0; i < count; i++)
            clients.Add(await MessageHost.ConnectAsync(endpoint, static host => host.On(static (in OneWayMessage _, Peer _) => { })));
        while (server.Peers.Count < count)
            await Task.Yield();
        if (isConnectMeasured)
        {
            await DisposeAsync(clients);
            return meter.For(count);
        }

        run(server, clients, count);
        meter = new Meter();
        run(server, clients, count);
        var cost = meter.For(units > 0 ? units : count);
        await DisposeAsync(clients);
        return cost;
    }

    private static async Task DisposeAsync(List<MessageClient> clients)
    {
        foreach (var client in clients)
            await client.DisposeAsync();
    }

    /// <summary>One host with many clients, each of which has a handler of its service's event. The event of one service costs the same.</summary>
    private static async Task<Cost> RaiseForPeersAsync(int count)
    {
        const int Events = 1000;
        var raised = 0;
        var endpoint = NextEndpoint();
        var services = new List<Growing>();
        await using var server = await MessageHost.ListenAsync(endpoint, options: Options);
        var clients = new List<MessageClient>();
        for (var i = 0; i < count; i++)
        {
            services.Add(new Growing());
            clients.Add(await MessageHost.ConnectAsync(endpoint, host => host.AddService<IGrowing>(services[^1])));
        }

        while (server.Peers.Count < count)
            await Task.Yield();
        foreach (var peer in server.Peers)
            peer.GetService<IGrowing>().Changed += _ => Interlocked.Increment(ref raised);
        await RaiseAsync();
        var meter = new Meter();
        await RaiseAsync();
        var cost = meter.For(Events);
        await DisposeAsync(clients);
        return cost;

        async Task RaiseAsync()
        {
            raised = 0;
            await services[0].RaiseAsync(Events);
            while (Volatile.Read(ref raised) < Events)
                await Task.Yield();
        }
    }

    private static void JoinAndLeave(MessageServer server, int count)
    {
        var (peer, groups) = (server.Peers.Single(), new PeerGroup[count]);
        for (var i = 0; i < count; i++)
            Expect(1, (groups[i] = new PeerGroup(server)).Join(peer) ? 1 : 0);
        Expect(count, groups.Reverse().Count(group => group.Leave(peer)));
    }

    private static async Task<Cost> RequestsAsync(int count)
    {
        var endpoint = NextEndpoint();
        var (waiting, released) = (0, new TaskCompletionSource());
        await using var server = await MessageHost.ListenAsync(endpoint, host => host.OnRequest<OneWayMessage, OneWayMessage>(async (message, _, _) =>
        {
            Interlocked.Increment(ref waiting);
            await released.Task;
            return message;
        }), Options);
        await using var client = await MessageHost.ConnectAsync(endpoint, options: Options);
        await AskAsync();
        var meter = new Meter();
        await AskAsync();
        return meter.For(count);

        async Task AskAsync()
        {
            (waiting, released) = (0, new TaskCompletionSource());
            var replies = Enumerable.Range(0, count).Select(i => client.RequestAsync<OneWayMessage, OneWayMessage>(new OneWayMessage(i, 2, 3)).AsTask()).ToArray();
            while (Volatile.Read(ref waiting) < count)
                await Task.Yield();
            released.SetResult();
            await Task.WhenAll(replies);
        }
    }

    private static async Task<Cost> StreamsAsync(int count)
    {
        var endpoint = NextEndpoint();
        await using var server = await MessageHost.ListenAsync(endpoint, static host => host.OnStream<HandledQuery, OneWayMessage>(static (_, _, _) => ItemsAsync()), Options);
        await using var client = await MessageHost.ConnectAsync(endpoint, options: Options);
        await ReadAsync();
        var meter = new Meter();
        await ReadAsync();
        return meter.For(count);

        // All streams are open at once.
        async Task ReadAsync()
        {
            var streams = Enumerable.Range(0, count).Select(_ => client.StreamAsync<HandledQuery, OneWayMessage>(default).GetAsyncEnumerator()).ToArray();
            foreach (var stream in streams)
                Expect(1, await stream.MoveNextAsync() ? 1 : 0);
            foreach (var stream in streams)
                await stream.DisposeAsync();
        }
    }

    private static async IAsyncEnumerable<OneWayMessage> ItemsAsync()
    {
        while (true)
        {
            await Task.CompletedTask;
            yield return new OneWayMessage(1, 2, 3);
        }
    }

    private static async Task<Cost> SubscriptionsAsync(int count)
    {
        var endpoint = NextEndpoint();
        await using var server = await MessageHost.ListenAsync(endpoint, static host => host.AddService<IGrowing>(new Growing()), Options);
        await using var client = await MessageHost.ConnectAsync(endpoint, options: Options);
        var service = client.GetService<IGrowing>();
        var handlers = Enumerable.Range(0, count).Select(i => (Action<int>)(value => Expect(i, i + (0 * value)))).ToArray();
        return await Now(count, handlers, (handlers, _) =>
        {
            foreach (var handler in handlers)
                service.Changed += handler;
            foreach (var handler in handlers)
                service.Changed -= handler;
        });
    }

    private static void Queue(MessageQueue<int> queue, int count)
    {
        var writer = new MessageWriter();
        for (var i = 0; i < count; i++)
            queue.Enqueue(writer.Pack(new OneWayMessage(1, 2, 3)), i);
        var dispatcher = new MessageDispatcher<int>();
        _ = dispatcher.Register(static (in OneWayMessage _, ref int _) => { });
        Expect(count, queue.Pump(dispatcher).Handled);
    }

    private static async Task<Cost> BytesAsync(int count)
    {
        var endpoint = NextEndpoint();
        await using var server = await MessageHost.ListenAsync(endpoint, static host => host.OnRequest(static (in EchoBytes message, Peer _) => message), Options);
        await using var client = await MessageHost.ConnectAsync(endpoint, options: Options);
        var bytes = new byte[count * 100];
        await client.RequestAsync<EchoBytes, EchoBytes>(new EchoBytes(bytes));
        var meter = new Meter();
        await client.RequestAsync<EchoBytes, EchoBytes>(new EchoBytes(bytes));
        return meter.For(count);
    }

    private static Task<Cost> Now<T>(int count, T with, Action<T, int> run)
    {
        var meter = new Meter();
        run(with, count);
        return Task.FromResult(meter.For(count));
    }

    private static void Expect(int expected, int actual)
    {
        if (expected != actual)
            throw new InvalidOperationException($"{actual} of {expected} were done.");
    }

    /// <summary>The time and the allocated bytes since its creation.</summary>
    private readonly struct Meter
    {
        private readonly long _start = Stopwatch.GetTimestamp();
        private readonly long _bytes = GC.GetTotalAllocatedBytes(precise: true);

        public Meter()
        {
        }

        public Cost For(int count) => new(Stopwatch.GetElapsedTime(_start).TotalNanoseconds / count, (double)(GC.GetTotalAllocatedBytes(precise: true) - _bytes) / count);
    }

    private sealed class Growing : IGrowing
    {
        public event Action<int>? Changed;

        public Task RaiseAsync(int count)
        {
            for (var i = 0; i < count; i++)
                Changed?.Invoke(i);
            return Task.CompletedTask;
        }
    }
}

/// <summary>What one of many things costs.</summary>
/// <param name="Nanoseconds">The time.</param>
/// <param name="Bytes">The allocated bytes.</param>
internal readonly record struct Cost(double Nanoseconds, double Bytes);
