using System.IO;
using System.Linq;
using Reloaded.Messaging.Hosting;
using Reloaded.Messaging.Tests.Streaming;
using Reloaded.Messaging.Tests.Support;
using Xunit;

namespace Reloaded.Messaging.Tests.RateLimiting;

/// <summary>A call ends on both sides, whichever of its messages a rate limit drops under <see cref="OverflowAction.Drop"/>. The clock of the limit stands still, so all messages from the limit on are dropped.</summary>
public sealed class DroppedRequestTests
{
    private const int MostMessages = 14; // more than any of the calls needs

    private static int s_names;

    public static TheoryData<string> Calls => [.. s_calls.Keys];

    private static readonly Dictionary<string, Func<MessageClient, Task>> s_calls = new()
    {
        ["items"] = static client => client.RequestAsync(new Upload("numbers"), CountAsync(3)),
        ["items of a reply"] = static client => client.StreamAsync<Ping, Pong>(new Ping(3)).ReadAllAsync(),
        ["items both ways"] = static client => client.StreamAsync(new Converse(2), CountAsync(3)).ReadAllAsync(),
        ["items of a reply that are left"] = static client => ReadOneAsync(client.StreamAsync<Ping, Pong>(new Ping(int.MaxValue))),
        ["items both ways that are left"] = static client => ReadOneAsync(client.StreamAsync(new Converse(2), CountAsync(int.MaxValue))),
        ["progress"] = static client => client.RequestAsync(new Pack(20), new Reports()),
        ["progress that is canceled"] = CancelAsync,
        ["file that is sent"] = static client => client.SendFileAsync(new MemoryStream(new byte[300_000]), "up"),
        ["file that is received"] = static client => client.Server.ReceiveFileAsync("down", new MemoryStream()),
    };

    [Theory]
    [MemberData(nameof(Calls))]
    public async Task Call_ends_on_both_sides_whatever_a_rate_limit_drops(string call)
    {
        var (codes, dropped) = (new HashSet<int>(), 0L);
        for (var most = 1; most <= MostMessages; most++)
        {
            foreach (var (isOfServer, isPumped) in ((bool, bool)[])[(true, false), (true, true), (false, false)])
            {
                var limited = NewOptions() with { IsPumped = isPumped, TimeProvider = new ManualTime(), Limits = new HostLimits { MessagesPerSecond = most, OverflowAction = OverflowAction.Drop } };
                await using var hosts = await HostPair.ConnectAsync(
                    MessageEndpoint.InProcess($"dropped-{Interlocked.Increment(ref s_names)}"),
                    Configure,
                    static client => FileSender.Of(client), // so that the client announces nothing later
                    serverOptions: isOfServer ? limited : NewOptions(),
                    clientOptions: isOfServer ? NewOptions() : limited);
                using var pump = Pump.Of(hosts.Server);

                var name = $"{call}, with {most} messages to the {(isPumped ? "pumped server" : isOfServer ? "server" : "client")}";
                codes.Add(await EndAsync(s_calls[call](hosts.Client), name));
                await Signal.UntilAsync(() => IsIdle(hosts.Client.Server) && hosts.Server.Peers.All(IsIdle), () => $"Something stays open: {name}.");
                dropped += hosts.Server.GetStatistics().OverMessageRate + hosts.Client.GetStatistics().OverMessageRate;
            }
        }

        Assert.Contains(0, codes); // the limit is not too low for the call
        Assert.True(dropped > 0); // and low enough to drop its messages
    }

    [Fact]
    public async Task Fault_of_a_dropped_request_names_the_rate_and_its_limit()
    {
        var limits = new HostLimits { BytesPerSecond = 500, OverflowAction = OverflowAction.Drop };
        await using var hosts = await HostPair.ConnectAsync(MessageEndpoint.InProcess($"dropped-{Interlocked.Increment(ref s_names)}"), Configure, serverOptions: NewOptions() with { Limits = limits });

        var fault = await Assert.ThrowsAsync<RequestFaultException>(() => hosts.Client.RequestAsync<Note, Note>(new Note(new string('x', 600))).AsTask().InTime());

        Assert.Equal((FaultCode.OverRate, "TooManyBytes: the limit is 500 a second. Send it later."), (fault.Code, fault.Message));
        Assert.Equal(1, hosts.Server.GetStatistics().OverByteRate);
    }

    private static bool IsIdle(Peer peer) => peer is { OpenStreams: 0, RunningHandlers: 0, Requests.Unanswered.Count: 0 };

    private static async Task ReadOneAsync(IAsyncEnumerable<Pong> items)
    {
        await foreach (var item in items)
        {
            Assert.Equal(0, item.Number);
            return;
        }
    }

    private static async Task CancelAsync(MessageClient client)
    {
        using var canceled = new CancellationTokenSource();
        var call = client.RequestAsync(new Pack(-1), new Reports(), canceled.Token);
        await client.TryRequestAsync<Note, Note>(new Note("")); // answered after the request, by a reply or by a fault
        await canceled.CancelAsync();
        await client.TryRequestAsync<Note, Note>(new Note("")); // and this one after the cancellation
        try
        {
            await call;
        }
        catch (OperationCanceledException)
        {
            // The end of a request that was not dropped.
        }
    }

    /// <summary>Waits until a call ends.</summary>
    /// <returns>The code of its fault; 0 for none, and -1 if the connection has ended.</returns>
    private static async Task<int> EndAsync(Task call, string name)
    {
        try
        {
            await call.InTime();
            return 0;
        }
        catch (Exception e) when (e is RequestFaultException or FileTransferException { InnerException: RequestFaultException })
        {
            return ((e.InnerException ?? e) as RequestFaultException)!.Code;
        }
        catch (RequestFailedException e) when (e.Status is RequestStatus.Disconnected or RequestStatus.NotSent)
        {
            return -1; // a contract was announced over the rate
        }
        catch (TimeoutException)
        {
            throw new TimeoutException($"The call does not end: {name}.");
        }
    }

    private static MessageHostOptions NewOptions() => new() { RequestTimeout = TimeSpan.FromHours(1), LongestFilePause = TimeSpan.FromHours(1), KeepAliveTimeout = TimeSpan.FromHours(2), PingInterval = TimeSpan.FromHours(1) };

    private static void Configure(MessageServer server)
    {
        server.OnRequest(static (Note note) => note);
        server.OnStream(static (Ping ping, CancellationToken _) => AnswerAsync(CountAsync(ping.Number)));
        server.OnStream<Converse, Ping, Pong>(static (_, items, _) => AnswerAsync(items));
        server.OnRequest(static async (Upload _, IAsyncEnumerable<Ping> items, CancellationToken _) => new Uploaded((await items.ReadAllAsync()).Count, 0));
        server.OnRequest(static async (Pack request, IProgress<Done> progress, CancellationToken token) =>
        {
            for (var i = 0; i < request.Files; i++)
            {
                progress.Report(new Done(i));
                await Task.Yield();
            }

            if (request.Files < 0)
                await Task.Delay(Timeout.Infinite, token);
            return new Packed(request.Files);
        });
        server.OnFile(static (offer, token) => offer.SaveAsync(new MemoryStream(), cancellationToken: token));
        server.OnFileRequest(static (_, _) => new MemoryStream(new byte[300_000]));
    }

    private static async IAsyncEnumerable<Ping> CountAsync(int count)
    {
        for (var i = 0; i < count; i++)
        {
            await Task.Yield();
            yield return new Ping(i);
        }
    }

    private static async IAsyncEnumerable<Pong> AnswerAsync(IAsyncEnumerable<Ping> items)
    {
        await foreach (var item in items)
            yield return new Pong(item.Number);
    }
}
