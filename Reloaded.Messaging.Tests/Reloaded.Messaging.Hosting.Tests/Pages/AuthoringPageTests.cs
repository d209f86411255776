using System;
using System.Collections.Concurrent;
using System.IO;
using System.IO.Pipelines;
using System.Linq;
using System.Threading;
using System.Threading.Tasks;
using Reloaded.Messaging;
using Reloaded.Messaging.Hosting;
using Reloaded.Messaging.Tests.Samples;
using Reloaded.Messaging.Tests.Support;
using Xunit;

namespace Reloaded.Messaging.Tests.Pages;

/// <summary>The code of docs/authoring.md, compiled and run.</summary>
public sealed class AuthoringPageTests
{
    [Fact]
    public async Task Hosts_communicate_over_sample_transport()
    {
        var moves = new ConcurrentQueue<Move>();

        var transport = new LossyTransport(seed: 1) { Loss = 0.2 };
        await using var server = await MessageHost.ListenAsync(MessageEndpoint.Over(transport, "my-game"), host => host.On((in Move move, Peer from) => moves.Enqueue(move)));
        var gone = server.Disconnection();
        await using var client = await MessageHost.ConnectAsync(MessageEndpoint.Over(transport, "my-game"));

        for (var step = 0; step < 20; step++)
            client.Send(new Move(step));
        await client.DisposeAsync().AsTask().InTime(); // the goodbye arrives after all moves that were not lost
        await gone.InTime();

        Assert.InRange(moves.Count, 1, 19);
        Assert.InRange(transport.LostFrames, 20 - moves.Count, 24 - moves.Count); // the first ping of each side and its pong may be lost as well
    }

    [Fact]
    public async Task Sample_hosts_send_events_and_requests()
    {
        var moves = new ConcurrentQueue<Move>();
        var (fromTool, toGame) = Connect();
        var (fromGame, toTool) = Connect();

        await using var game = StreamHost.Start(fromTool, toTool, host => host.OnRequest((ListMods request) => new ModList(["skins", "sounds"])));
        await using var tool = StreamHost.Start(fromGame, toGame, host => host.On((Move move) => moves.Enqueue(move)));

        var mods = await tool.RequestAsync<ListMods, ModList>(new ListMods(true), TimeSpan.FromSeconds(5));
        game.Send(new Move(1));

        Assert.Equal(["skins", "sounds"], mods.Ids);
        await Signal.UntilAsync(() => moves.Contains(new Move(1)));
    }

    [Fact]
    public async Task Sample_host_calls_asynchronous_handlers_and_acknowledges()
    {
        await using var hosts = new StreamPair(host =>
        {
            host.OnRequest(async (ListMods request, StreamHost from, CancellationToken token) =>
            {
                await Task.Yield();
                return new ModList(["skins"]);
            });
            host.OnRequest(async (Suspend suspend) => await Task.Yield());
        });

        Assert.Equal(["skins"], (await hosts.Tool.RequestAsync<ListMods, ModList>(new ListMods(true), Deadline.Length).AsTask().InTime()).Ids);
        Assert.Equal(default, await hosts.Tool.RequestAsync<Suspend, Acknowledgement>(new Suspend(1), Deadline.Length).AsTask().InTime());
    }

    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public async Task Sample_host_reports_exceptions_and_replies_with_faults(bool isAsync)
    {
        await using var hosts = new StreamPair(host => _ = isAsync
            ? host.OnRequest<ListMods, ModList>(static async _ =>
            {
                await Task.Yield();
                throw new InvalidOperationException("secret");
            })
            : host.OnRequest<ListMods, ModList>(static _ => throw new InvalidOperationException("secret")));
        var failed = Signal.New<string>();
        hosts.Game.HandlerFailed += (_, e) => failed.SetResult(e.Message);

        var fault = await Assert.ThrowsAsync<RequestFaultException>(() => hosts.Tool.RequestAsync<ListMods, ModList>(new ListMods(true), Deadline.Length).AsTask().InTime());

        Assert.Equal(FaultCode.HandlerFailed, fault.Code);
        Assert.DoesNotContain("secret", fault.Message, StringComparison.Ordinal);
        Assert.Equal("secret", await failed.Task.InTime());
        Assert.Equal(1, hosts.Game.Requests.FaultsSent);
    }

    [Fact]
    public async Task Request_to_sample_host_times_out_and_its_late_reply_is_counted()
    {
        var release = Signal.New<bool>();
        await using var hosts = new StreamPair(host => host.OnRequest(async (ListMods request) =>
        {
            await release.Task;
            return new ModList([]);
        }));

        await Assert.ThrowsAsync<TimeoutException>(() => hosts.Tool.RequestAsync<ListMods, ModList>(new ListMods(true), TimeSpan.FromMilliseconds(1)).AsTask().InTime());
        release.SetResult(true);

        await Signal.UntilAsync(() => hosts.Tool.Requests.LateReplies == 1);
        Assert.Equal(1, hosts.Tool.Requests.Timeouts);
    }

    [Fact]
    public async Task Request_to_sample_host_is_canceled_by_its_token()
    {
        await using var hosts = new StreamPair(static host => host.OnRequest(static (ListMods request) => new TaskCompletionSource<ModList>().Task));
        using var source = new CancellationTokenSource();

        var request = hosts.Tool.RequestAsync<ListMods, ModList>(new ListMods(true), Deadline.Length, source.Token).AsTask();
        await source.CancelAsync();

        await Assert.ThrowsAnyAsync<OperationCanceledException>(() => request.InTime());
    }

    [Fact]
    public async Task Requests_end_when_the_other_sample_host_ends()
    {
        await using var hosts = new StreamPair(static host => host.OnRequest(static (ListMods request) => new TaskCompletionSource<ModList>().Task));

        var request = hosts.Tool.RequestAsync<ListMods, ModList>(new ListMods(true), Deadline.Length).AsTask();
        await hosts.Game.DisposeAsync().AsTask().InTime();

        var failure = await Assert.ThrowsAsync<RequestFailedException>(() => request.InTime());
        Assert.Equal(RequestStatus.Disconnected, failure.Status);
        await hosts.Tool.Completion.InTime();
        Assert.Equal(SendStatus.Closed, hosts.Tool.Send(new Move(1)));
    }

    [Fact]
    public async Task Sample_host_fails_when_its_stream_contains_no_messages()
    {
        var (input, output) = Connect();
        await using var host = StreamHost.Start(input, Stream.Null);

        await output.WriteAsync(new byte[] { 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF });

        await Assert.ThrowsAsync<InvalidDataException>(() => host.Completion.InTime());
    }

    [Fact]
    public void Page_shows_lines_that_are_compiled()
    {
        var code = Directory.GetFiles(Page.PathOf("Samples"), "*.cs.txt").Append("AuthoringPageTests.cs.txt").SelectMany(Page.ReadCode);
        var shown = Page.ReadShown("authoring.md");

        Assert.InRange(shown.Count, 200, 500);
        Assert.Empty(shown.Except(code));
    }

    [Fact]
    public void Page_lists_types_for_authors()
    {
        var page = File.ReadAllText(Page.PathOf("authoring.md"));
        var types = typeof(MessageHost).Assembly.GetExportedTypes().Where(static type => type.Namespace == "Reloaded.Messaging.Hosting.Authoring").Select(static type => type.Name.Split('`')[0]).Distinct().ToList();

        Assert.InRange(types.Count, 10, 20);
        Assert.All(types, type => Assert.Contains("`" + type, page, StringComparison.Ordinal));
    }

    /// <summary>The two ends of a stream in one direction.</summary>
    private static (Stream From, Stream To) Connect()
    {
        var pipe = new Pipe();
        return (pipe.Reader.AsStream(), pipe.Writer.AsStream());
    }

    /// <summary>A game, whose handlers are given, and a tool.</summary>
    private sealed class StreamPair : IAsyncDisposable
    {
        public StreamPair(Action<StreamHost> configureGame)
        {
            var (fromTool, toGame) = Connect();
            var (fromGame, toTool) = Connect();
            Game = StreamHost.Start(fromTool, toTool, configureGame);
            Tool = StreamHost.Start(fromGame, toGame);
        }

        public StreamHost Game { get; }

        public StreamHost Tool { get; }

        public async ValueTask DisposeAsync()
        {
            await Game.DisposeAsync();
            await Tool.DisposeAsync();
        }
    }
}
