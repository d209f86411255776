using Reloaded.Messaging.Hosting;
using Reloaded.Messaging.Tests.Support;
using Xunit;

namespace Reloaded.Messaging.Tests;

/// <summary>docs/internals/architecture.md lists the files that a message passes. The tests record the files whose methods run while a message is sent and received.</summary>
public sealed class MessageTrailTests(ITestOutputHelper output)
{
    /// <summary>The number of messages before the recorded ones. Pings, and resends and acknowledgements of the handshake, end meanwhile.</summary>
    private const int Warming = 200;

    /// <summary>The number of recorded messages. A collection by the garbage collector empties the pools, so some messages create objects again.</summary>
    private const int Recorded = 100;

    /// <summary>The maximum number of calls between the program and the outbox.</summary>
    private const int MaxCalls = 17;

    private static readonly MessageHostOptions s_quiet = new() { PingInterval = TimeSpan.FromMinutes(10), KeepAliveTimeout = TimeSpan.FromHours(1) };

    [Theory]
    [InlineData(nameof(SendEventAsync), "Sending an event")]
    [InlineData(nameof(SendRequestAsync), "A request", "Sending an event")]
    [InlineData(nameof(BroadcastAsync), "A broadcast", "Sending an event")]
    public Task Message_that_is_sent_passes_the_files_of_the_page(string scenario, string section, params string[] after) => CheckAsync(scenario, MessageEndpoint.Tcp(0), section, after);

    [Fact]
    public async Task Event_that_is_sent_needs_few_calls()
    {
        await using var server = await MessageHost.ListenAsync(MessageEndpoint.Tcp(0), static host =>
        {
            host.On((in Ping _, Peer _) => { });
            host.OnRequest((Pong pong) => new Ping(pong.Number));
        }, s_quiet);

        var calls = await InstrumentedLibrary.RunAsync<IReadOnlyList<string>>(typeof(MessageTrailTests).GetMethod(nameof(SendAndCountCallsAsync))!, server.Endpoint.ToString()).InTime();
        output.WriteLine($"{calls.Count} calls: {string.Join(", ", calls)}");

        Assert.InRange(calls.Count, 10, MaxCalls);
    }

    [Fact]
    public Task Reply_that_is_received_passes_the_files_of_the_page() => CheckAsync(nameof(ReceiveReplyAsync), MessageEndpoint.Tcp(0), "A reply", "Receiving an event", "Sending an event");

    [Fact]
    public Task Event_that_is_received_passes_the_files_of_the_page() => CheckReceivedAsync(SocketFolder.Next(), "Receiving an event");

    [Fact]
    public Task Datagram_that_is_sent_passes_the_files_of_the_page() => CheckAsync(nameof(SendDatagramsAsync), MessageEndpoint.Udp(0), "A datagram that is sent", "Sending an event", "A datagram that is received");

    [Fact]
    public Task Datagram_that_is_received_passes_the_files_of_the_page() => CheckReceivedAsync(MessageEndpoint.Udp(0), "A datagram that is received", "Receiving an event", "A datagram that is sent");

    public static async Task<IReadOnlyList<string>> SendEventAsync(string endpoint)
    {
        await using var client = await ConnectAsync(endpoint);
        return Record(client.Server, static server => server.Send(new Ping(-1)));
    }

    /// <summary>Returns the calls of the thread that sends an event, without the write, which runs on the thread pool; of the event with the fewest.</summary>
    public static async Task<IReadOnlyList<string>> SendAndCountCallsAsync(string endpoint)
    {
        await using var client = await ConnectAsync(endpoint);
        var fewest = new List<string>();
        for (var i = 0; i < Warming; i++)
        {
            client.Server.Cork(); // the write is not a call of the sender
            CallTrail.Begin();
            client.Server.Send(new Ping(-1));
            CallTrail.End();
            if (i == 0 || CallTrail.Calls.Count < fewest.Count)
                fewest = [.. CallTrail.Calls];
            client.Server.Uncork();
        }

        return fewest;
    }

    public static async Task<IReadOnlyList<string>> SendRequestAsync(string endpoint)
    {
        await using var client = await ConnectAsync(endpoint);
        return Record(client.Server, static server => _ = server.RequestAsync<Pong, Ping>(new Pong(1)).AsTask());
    }

    public static async Task<IReadOnlyList<string>> BroadcastAsync(string endpoint)
    {
        await using var client = await ConnectAsync(endpoint);
        return Record(client.Server, static server => server.Host.Broadcast(new Ping(-1)));
    }

    public static async Task<IReadOnlyList<string>> SendDatagramsAsync(string endpoint)
    {
        await using var client = await ConnectAsync(endpoint);
        return Record(client.Server, static server =>
        {
            server.Send(new Ping(-1));
            if (!server.FlushAsync().Wait(Deadline.Length)) // another thread may send the datagram when nothing is pending any more
                throw new TimeoutException("The datagram was not sent.");
        });
    }

    /// <summary>Records the event after which the server replies, and the reply.</summary>
    public static async Task<IReadOnlyList<string>> ReceiveReplyAsync(string endpoint)
    {
        await using var client = await ConnectAsync(endpoint);
        var server = client.Server;
        var trails = new List<IReadOnlyList<string>>();
        for (var i = 0; i < Warming + Recorded; i++)
        {
            var reply = server.RequestAsync<Pong, Ping>(new Pong(1)).AsTask();
            WaitUntilWritten(server);
            CallTrail.Begin();
            server.Send(new Ping(-2)); // the server replies when it has received this event
            await reply;
            trails.Add(CallTrail.End());
        }

        return CallTrail.CommonOf(trails, Warming);
    }

    /// <summary>Records from the handler of each event to the handler of the next event: the end of an event, and the way of the next one.</summary>
    /// <param name="endpoint">Where to listen.</param>
    /// <param name="listening">Receives the endpoint of the server.</param>
    /// <param name="connected">Completes when a client is connected.</param>
    /// <param name="send">Sends the next event.</param>
    public static async Task<IReadOnlyList<string>> ReceiveEventsAsync(string endpoint, Action<string> listening, Task connected, Action send)
    {
        var trails = new List<IReadOnlyList<string>>();
        var done = Signal.New<bool>();
        await using var server = await MessageHost.ListenAsync(
            MessageEndpoint.Parse(endpoint),
            host => host.On((in Ping _, Peer _) =>
            {
                trails.Add(CallTrail.End());
                CallTrail.Begin();
                if (trails.Count < Warming + Recorded)
                    send();
                else
                    done.TrySetResult(true);
            }),
            s_quiet);
        listening(server.Endpoint.ToString());
        await connected;
        for (var seen = 0; !done.Task.IsCompleted; await Task.WhenAny(done.Task, Task.Delay(TimeSpan.FromSeconds(1))))
        {
            if (seen == trails.Count)
                send(); // the first event, or the next one after a datagram was lost
            seen = trails.Count;
        }

        return CallTrail.CommonOf(trails, Warming);
    }

    /// <summary>Connects, and uses the objects that are created by the first messages. The pings of both sides are answered afterwards.</summary>
    private static async Task<MessageClient> ConnectAsync(string endpoint)
    {
        var client = await MessageHost.ConnectAsync(MessageEndpoint.Parse(endpoint), options: s_quiet);
        await Signal.UntilAsync(() => client.Server.RoundTripTime > TimeSpan.Zero);
        for (var i = 0; i < 100; i++)
            await client.RequestAsync<Pong, Ping>(new Pong(0));
        return client;
    }

    /// <summary>Records many messages of a thread, each alone. The first ones may create the caches of the thread.</summary>
    private static IReadOnlyList<string> Record(Peer server, Action<Peer> send)
    {
        var trails = new List<IReadOnlyList<string>>();
        for (var i = 0; i < Warming + Recorded; i++)
        {
            CallTrail.Begin();
            send(server);
            WaitUntilWritten(server);
            trails.Add(CallTrail.End());
        }

        return CallTrail.CommonOf(trails, Warming);
    }

    private static void WaitUntilWritten(Peer peer)
    {
        if (!SpinWait.SpinUntil(() => peer.Connection.Outbox.PendingBytes == 0, Deadline.Length))
            throw new TimeoutException("The messages were not written.");
    }

    /// <summary>Records a client, whose server is the library as it is.</summary>
    private async Task CheckAsync(string scenario, MessageEndpoint endpoint, string section, params string[] after)
    {
        using var mayReply = new SemaphoreSlim(0);
        await using var server = await MessageHost.ListenAsync(
            endpoint,
            host =>
            {
                host.On((in Ping ping, Peer _) =>
                {
                    if (ping.Number == -2)
                        mayReply.Release();
                });
                host.OnRequest(async (Pong pong, Peer from) =>
                {
                    if (pong.Number == 0)
                        await Signal.UntilAsync(() => from.RoundTripTime > TimeSpan.Zero);
                    else
                        await mayReply.WaitAsync();
                    return new Ping(pong.Number);
                });
            },
            s_quiet);

        TrailPage.Check(output, await InstrumentedLibrary.RunAsync<IReadOnlyList<string>>(typeof(MessageTrailTests).GetMethod(scenario)!, server.Endpoint.ToString()).InTime(), section, after);
    }

    /// <summary>Records a server, whose client is the library as it is.</summary>
    private async Task CheckReceivedAsync(MessageEndpoint endpoint, string section, params string[] after)
    {
        var listening = Signal.New<string>();
        var connected = Signal.New<MessageClient>();
        var recording = InstrumentedLibrary.RunAsync<IReadOnlyList<string>>(
            typeof(MessageTrailTests).GetMethod(nameof(ReceiveEventsAsync))!,
            endpoint.ToString(),
            (Action<string>)(address => listening.SetResult(address)),
            connected.Task,
            (Action)(() => connected.Task.Result.Send(new Ping(1))));
        await using var client = await MessageHost.ConnectAsync(MessageEndpoint.Parse(await listening.Task.InTime()), options: s_quiet);
        connected.SetResult(client);

        TrailPage.Check(output, await recording.InTime(), section, after);
    }
}
