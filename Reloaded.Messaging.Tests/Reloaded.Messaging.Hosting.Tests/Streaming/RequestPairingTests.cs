using System.IO;
using System.Linq;
using System.Runtime.CompilerServices;
using Reloaded.Messaging.Hosting;
using Reloaded.Messaging.Tests.Support;
using Xunit;

namespace Reloaded.Messaging.Tests.Streaming;

/// <summary>Each form of a call meets each form of a handler. The call ends with its result, or with a text that says what the remote side did. Afterwards, nothing is open on either side.</summary>
public sealed class RequestPairingTests
{
    private const string OneReply = "one reply", NoReply = "no reply", ItemsIn = "items in", ItemsOut = "items out", BothWays = "both ways", Progress = "progress", FileIn = "file in", FileOut = "file out", None = "none";

    private static int s_names;

    private static readonly MessageContract<Ping> s_request = MessageContract.GetDeclared<Ping>();
    private static readonly MessageContract<Pong> s_reply = MessageContract.GetDeclared<Pong>();
    private static readonly MessageContract<Note> s_in = MessageContract.GetDeclared<Note>();
    private static readonly MessageContract<Uploaded> s_out = MessageContract.GetDeclared<Uploaded>();
    private static readonly MessageContract<Done> s_report = MessageContract.GetDeclared<Done>();

    private static readonly Dictionary<string, Func<Peer, CancellationToken, Task>> s_calls = new()
    {
        [OneReply] = static (peer, token) => peer.RequestAsync(s_request, s_reply, new Ping(1), TimeSpan.FromHours(1), token).AsTask(),
        [NoReply] = static (peer, token) => peer.RequestAsync(s_request, Acknowledgement.Contract, new Ping(1), TimeSpan.FromHours(1), token).AsTask(),
        [ItemsIn] = static (peer, token) => peer.RequestAsync(s_request, s_in, s_reply, new Ping(1), NotesAsync(), token),
        [ItemsOut] = static (peer, token) => ReadThreeAsync(peer.StreamAsync(s_request, s_out, new Ping(1), token)),
        [BothWays] = static (peer, token) => ReadThreeAsync(peer.StreamAsync(s_request, s_in, s_out, new Ping(1), NotesAsync(), token)),
        [Progress] = static (peer, token) => peer.RequestAsync(s_request, s_report, s_reply, new Ping(1), new Reports(), token),
        [FileIn] = static (peer, token) => peer.SendFileAsync(new MemoryStream(new byte[100_000]), "up", null, token),
        [FileOut] = static (peer, token) => peer.ReceiveFileAsync("down", new MemoryStream(), null, token),
    };

    private static readonly Dictionary<string, Action<MessageServer>> s_handlers = new()
    {
        [OneReply] = static server => server.OnRequest(s_request, s_reply, static (in Ping ping, Peer _) => new Pong(ping.Number)),
        [NoReply] = static server => server.OnRequest(s_request, Acknowledgement.Contract, static (in Ping _, Peer _) => default),
        [ItemsIn] = static server => server.OnRequest(s_request, s_in, s_reply, static async (_, items, _, _) => new Pong(await ReadThreeAsync(items))),
        [ItemsOut] = static server => server.OnStream(s_request, s_out, static (_, _, token) => CountAsync(token)),
        [BothWays] = static server => server.OnStream(s_request, s_in, s_out, static (_, items, _, token) => EchoAsync(items, token)),
        [Progress] = static server => server.OnRequest(s_request, s_report, s_reply, static async (ping, progress, _, _) =>
        {
            progress.Report(new Done(1));
            await Task.Yield();
            progress.Report(new Done(2));
            return new Pong(ping.Number);
        }),
        [FileIn] = static server => server.OnFile(static (offer, token) => offer.SaveAsync(new MemoryStream(), cancellationToken: token)),
        [FileOut] = static server => server.OnFileRequest(static (_, _) => new MemoryStream(new byte[100_000])),
        [None] = static _ => { },
    };

    private readonly MessageEndpoint _endpoint = MessageEndpoint.InProcess($"pairings-{Interlocked.Increment(ref s_names)}");

    public static TheoryData<string, string> Pairs
    {
        get
        {
            var pairs = new TheoryData<string, string>();
            foreach (var call in s_calls.Keys)
            {
                foreach (var handler in s_handlers.Keys)
                    pairs.Add(call, handler);
            }

            return pairs;
        }
    }

    [Theory]
    [MemberData(nameof(Pairs))]
    public async Task Call_ends_and_leaves_nothing_open(string call, string handler)
    {
        foreach (var isPumped in (bool[])[false, true])
        {
            foreach (var isAnnounced in (bool[])[false, true])
            {
                await using var hosts = await ConnectAsync(handler, isAnnounced, isPumped);
                using var pump = Pump.Of(hosts.Server);

                var end = await EndAsync(s_calls[call](hosts.Client.Server, default));

                Assert.Equal(Expect(call, handler, isAnnounced), end);
                await ExpectIdleAsync(hosts);
            }
        }
    }

    /// <summary>The requester leaves before the handler runs. A stream or file that the handler then opens is closed.</summary>
    [Theory]
    [MemberData(nameof(Pairs))]
    public async Task Canceled_call_leaves_nothing_open(string call, string handler)
    {
        await using var hosts = await ConnectAsync(handler, isAnnounced: true, isPumped: true);
        using var canceled = new CancellationTokenSource();
        var calling = s_calls[call](hosts.Client.Server, canceled.Token);
        await Signal.UntilAsync(() => hosts.Server.Inbox!.Count > 0);

        await canceled.CancelAsync();

        await Assert.ThrowsAnyAsync<OperationCanceledException>(() => calling.InTime());
        using var pump = Pump.Of(hosts.Server);
        await ExpectIdleAsync(hosts);
    }

    [Theory]
    [InlineData(OneReply, ItemsOut)]
    [InlineData(OneReply, BothWays)]
    [InlineData(ItemsOut, ItemsOut)]
    [InlineData(BothWays, BothWays)]
    [InlineData(FileOut, FileOut)]
    public async Task Call_that_times_out_leaves_nothing_open(string call, string handler)
    {
        await using var hosts = await ConnectAsync(handler, isAnnounced: true, isPumped: true, new MessageHostOptions { RequestTimeout = TimeSpan.FromMilliseconds(20) });
        var calling = call == OneReply ? hosts.Client.Server.RequestAsync(s_request, s_reply, new Ping(1)).AsTask() : s_calls[call](hosts.Client.Server, default);

        var timeout = await Assert.ThrowsAsync<TimeoutException>(() => calling.InTime());

        Assert.Contains("MessageHostOptions.RequestTimeout", timeout.Message, StringComparison.Ordinal);
        Assert.Equal(1, hosts.Client.GetStatistics().RequestsTimedOut);
        using var pump = Pump.Of(hosts.Server);
        await ExpectIdleAsync(hosts);
    }

    /// <summary>Returns the end of a call of one form to a handler of another: empty for its result, and otherwise the beginning of its text.</summary>
    private static string Expect(string call, string handler, bool isAnnounced)
    {
        if (call is FileIn or FileOut)
            return call == handler ? "" : "NoHandler";
        if (handler is FileIn or FileOut or None)
            return "NoHandler";
        var (sendsItems, readsItems) = (call is ItemsIn or BothWays, handler is ItemsIn or BothWays);
        if (sendsItems && !readsItems && !isAnnounced)
            return "The request was not sent. The peer handles Ping, but reads no items Note (id 3) with it.";
        if (!sendsItems && handler == ItemsIn)
            return "The handler of Ping failed.";
        var (expected, replied) = (ReplyOf(call), ReplyOf(handler));
        if (expected != replied)
            return $"The remote side replied with {replied.Replace("Reloaded.Messaging.Tests.Pong", "a message").Replace("Reloaded.Messaging.Hosting.Acknowledgement", "a message")}; the expected reply is {expected}. Compare the contracts of both sides.";
        if (sendsItems || handler != BothWays)
            return "";
        return isAnnounced ? "The requester no longer waits for the reply." : "The source of the stream failed."; // the first is of a requester with streams, whose request has ended
    }

    private static string ReplyOf(string form) => form switch
    {
        ItemsOut or BothWays => "a stream of items (StreamAsync)",
        NoReply => $"Reloaded.Messaging.Hosting.Acknowledgement (id {LibraryTypes.Acknowledgement})",
        _ => "Reloaded.Messaging.Tests.Pong (id 2)",
    };

    private static async Task<string> EndAsync(Task call)
    {
        try
        {
            await call.InTime();
            return "";
        }
        catch (RequestFaultException e)
        {
            return e.Code == FaultCode.NoHandler ? "NoHandler" : e.Message;
        }
        catch (RequestFailedException e)
        {
            return e.Status == RequestStatus.ContractMismatch ? e.Message[..e.Message.IndexOf(" Use ", StringComparison.Ordinal)] : e.Message;
        }
    }

    private Task<HostPair> ConnectAsync(string handler, bool isAnnounced, bool isPumped, MessageHostOptions? clientOptions = null) => HostPair.ConnectAsync(
        _endpoint,
        server =>
        {
            if (isAnnounced)
                server.AnnounceContract(s_in);
            s_handlers[handler](server);
        },
        client => _ = isAnnounced ? StreamTable.Of(client) : null, // so that the client answers requests for items
        serverOptions: new MessageHostOptions { IsPumped = isPumped },
        clientOptions: clientOptions ?? new MessageHostOptions { RequestTimeout = TimeSpan.FromHours(1) });

    private static Task ExpectIdleAsync(HostPair hosts)
    {
        return Signal.UntilAsync(() => IsIdle(hosts.Client.Server) && hosts.Server.Peers.All(IsIdle) && hosts.Server.Inbox is null or { Count: 0 }, Describe);

        static bool IsIdle(Peer peer) => peer is { OpenStreams: 0, RunningHandlers: 0, Requests.Unanswered.Count: 0, Reports: null or { Count: 0 } };

        string Describe() => string.Join("; ", hosts.Server.Peers.Append(hosts.Client.Server).Select(static peer => $"{peer} has {peer.OpenStreams} streams, {peer.RunningHandlers} handlers, {peer.Requests.Unanswered.Count} requests and {peer.Reports?.Count} reports."));
    }

    private static async Task<int> ReadThreeAsync<T>(IAsyncEnumerable<T> items)
    {
        var count = 0;
        await foreach (var _ in items)
        {
            if (++count == 3)
                break;
        }

        return count;
    }

    private static async IAsyncEnumerable<Note> NotesAsync()
    {
        while (true)
        {
            yield return new Note("");
            await Task.Yield();
        }
    }

    private static async IAsyncEnumerable<Uploaded> CountAsync([EnumeratorCancellation] CancellationToken token)
    {
        for (var i = 0; !token.IsCancellationRequested; i++)
        {
            yield return new Uploaded(i, 0);
            await Task.Yield();
        }
    }

    private static async IAsyncEnumerable<Uploaded> EchoAsync(IAsyncEnumerable<Note> items, [EnumeratorCancellation] CancellationToken token)
    {
        await foreach (var _ in items.WithCancellation(token))
            yield return new Uploaded(1, 0);
    }
}
