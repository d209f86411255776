using System.Collections.Concurrent;
using System.Diagnostics;
using System.IO;
using System.Linq;
using Reloaded.Messaging;
using Reloaded.Messaging.Hosting;
using Reloaded.Messaging.Tests.Support;
using Xunit;

namespace Reloaded.Messaging.Tests.Pages;

[Message(10)] public readonly record struct Suspend(int Mod);
[Message(11)] public sealed record ListMods(bool LoadedOnly) : IRequest<ModList>;
[Message(12)] public sealed record ModList(List<string> Ids);
[Message(13)] public readonly record struct Resume(int Mod);
[Message(14)] public readonly record struct CountMods;
[Message(15)] public readonly record struct ModCount(int Count);
[Message(16)] public sealed record FindMods(string Text) : IRequest<ModList>;
[Message(17)] public readonly record struct Unload(int Mod) : IRequest;
[AdminOnly, Message(18)] public readonly record struct UnloadAll : IRequest;

public sealed class AdminOnlyAttribute : HandlerFilterAttribute
{
    public override ValueTask InvokeAsync(HandlerCall call) =>
        call.Peer is { Account: "admin" } ? call.NextAsync() : throw new RequestFaultException(1002, "Only the administrator may do that.");
}

/// <summary>What docs/hosting.md shows, compiled and run.</summary>
public sealed class HostingPageTests
{
    private static int s_names;

    private readonly string _name = $"hosting-{Environment.ProcessId}-{Interlocked.Increment(ref s_names)}";

    [Fact]
    public async Task A_tool_suspends_a_mod_and_lists_those_that_are_loaded()
    {
        var (name, mods) = (_name, new Mods());

        // Inside the game.
        await using var server = await MessageHost.ListenAsync(MessageEndpoint.Local(name), host =>
        {
            host.On((Suspend suspend) => mods.Suspend(suspend.Mod));
            host.OnRequest((ListMods request) => new ModList(mods.Ids(request.LoadedOnly)));
        });

        // The tool outside.
        await using var game = await MessageHost.ConnectAsync(MessageEndpoint.Local(name));
        await game.SendAsync(new Suspend(3));
        ModList list = await game.RequestAsync(new ListMods(LoadedOnly: true));

        Assert.Equal(["1", "2"], list.Ids);
    }

    [Theory]
    [InlineData("threading.md")]
    [InlineData("observability.md")]
    public void Table_of_the_page_has_each_event_of_hosts(string page)
    {
        var rows = File.ReadAllLines(Page.PathOf(page)).Where(static line => line.StartsWith("| `", StringComparison.Ordinal)).Select(static line => line.Split(" | ")[0]).ToList();
        string[] events = [.. new[] { typeof(MessageServer), typeof(MessageClient) }.SelectMany(static type => type.GetEvents()).Select(static one => one.Name).Distinct()];

        Assert.Contains(nameof(MessageServer.ConnectionRefused), events);
        Assert.All(events, name => Assert.Contains(rows, row => row.Contains($"{name}`", StringComparison.Ordinal)));
    }

    [Fact]
    public async Task Filters_measure_validate_and_authorize()
    {
        var (unloaded, times) = (new List<int>(), new ConcurrentDictionary<string, TimeSpan>());
        await using var server = await MessageHost.ListenAsync(MessageEndpoint.InProcess(_name), host =>
        {
            host.AddFilter(async call =>
            {
                var start = Stopwatch.GetTimestamp();
                await call.NextAsync(); // the next filter, and at last the handler
                times[call.Contract.MessageType.Name] = Stopwatch.GetElapsedTime(start);
            });
            host.AddFilter(call => call.TryGetMessage(out Unload unload) && unload.Mod < 0
                ? throw new RequestFaultException(1001, "The number of a mod is not negative.")
                : call.NextAsync(), typeof(Unload));
            host.OnRequest((Unload request) => unloaded.Add(request.Mod));
            host.OnRequest((UnloadAll _) => unloaded.Clear());
        });
        await using var tool = await MessageHost.ConnectAsync(server.Endpoint);

        await tool.RequestAsync(new Unload(3));
        Assert.Equal(1001, (await tool.TryRequestAsync(new Unload(-1))).Fault?.Code);
        Assert.Equal(1002, (await tool.TryRequestAsync(new UnloadAll())).Fault?.Code);
        Assert.Equal([3], unloaded);
        server.Peers.Single().Account = "admin";
        await tool.RequestAsync(new UnloadAll());

        Assert.Empty(unloaded);
        await Signal.UntilAsync(() => times.Count == 2);
        Assert.Equal([nameof(Unload), nameof(UnloadAll)], times.Keys.Order());
    }

    [Fact]
    public async Task Handler_takes_what_it_needs()
    {
        var mods = new Mods();
        await using var server = await MessageHost.ListenAsync(MessageEndpoint.InProcess(_name), host =>
        {
            // Events.
            host.On((Suspend suspend) => mods.Suspend(suspend.Mod));
            host.On(async (Resume resume, Peer from) => await mods.ResumeAsync(resume.Mod));

            // Requests.
            host.OnRequest((ListMods request) => new ModList(mods.Ids(request.LoadedOnly)));
            host.OnRequest(async (FindMods request, Peer from, CancellationToken token) => new ModList(await mods.FindAsync(request.Text, token)));

            // A request without a reply. The requester waits until the handler has completed.
            host.OnRequest((Unload request) => mods.Unload(request.Mod));
        });
        await using var tool = await MessageHost.ConnectAsync(server.Endpoint);

        tool.Send(new Suspend(3));
        ModList loaded = await tool.RequestAsync(new ListMods(LoadedOnly: true));
        Assert.Equal(["1", "2"], loaded.Ids);
        tool.Send(new Resume(3));
        await Signal.UntilAsync(() => mods.Ids(loadedOnly: true).Count == 3);
        await tool.RequestAsync(new Unload(2));
        Assert.Equal(2, mods.Count);
        Assert.Equal(["3"], (await tool.RequestAsync(new FindMods("3")).AsTask().InTime()).Ids);
    }

    [Fact]
    public async Task What_nobody_handles_is_sent_and_counted_on_the_other_side()
    {
        await using var server = await MessageHost.ListenAsync(MessageEndpoint.InProcess(_name), static host =>
        {
            host.On((in Suspend _, Peer _) => { });
            host.OnRequest((CountMods _) => new ModCount(3));
        });
        await using var tool = await MessageHost.ConnectAsync(server.Endpoint);

        Assert.Equal([SendStatus.Sent, SendStatus.Sent], new[] { tool.Send(new Resume(1)), tool.Send(default(CountMods)) });
        var refused = await tool.TryRequestAsync<Suspend, ModCount>(new Suspend(1)).AsTask().InTime();

        Assert.Equal(FaultCode.NoHandler, refused.Fault!.Code);
        Assert.Equal((1, 2), (server.GetCount(DispatchStatus.NoHandler), server.GetStatistics().MisdirectedMessages));
    }

    [Fact]
    public async Task StopAsync_finishes_what_runs_and_DisposeAsync_ends_it()
    {
        var (begun, goesOn) = (new CountdownEvent(2), Signal.New<ModCount>());
        using var bothBegun = begun;
        var servers = await Task.WhenAll(ListenAsync("a"), ListenAsync("b"));
        await using var stopped = await MessageHost.ConnectAsync(servers[0].Endpoint);
        await using var disposed = await MessageHost.ConnectAsync(servers[1].Endpoint);
        var finished = stopped.TryRequestAsync<CountMods, ModCount>(new CountMods()).AsTask();
        var ended = disposed.TryRequestAsync<CountMods, ModCount>(new CountMods()).AsTask();
        await Deadline.RunAside(() => begun.Wait(Deadline.Length));

        foreach (var server in servers)
        {
            if (server == servers[0])
            {
                goesOn.TrySetResult(new ModCount(3));
                await server.StopAsync();    // refuse new work, finish what runs, then dispose
            }
            else
            {
                await server.DisposeAsync(); // dispose now: running handlers are canceled
            }
        }

        Assert.Equal((RequestStatus.Replied, RequestStatus.Disconnected), ((await finished.InTime()).Status, (await ended.InTime()).Status));

        Task<MessageServer> ListenAsync(string which) => MessageHost.ListenAsync(MessageEndpoint.InProcess(_name + which), host => host.OnRequest(async (CountMods _, Peer _, CancellationToken token) =>
        {
            begun.Signal();
            return which == "a" ? await goesOn.Task : await Signal.New<ModCount>().Task.WaitAsync(token);
        }));
    }

    [Fact]
    public void The_page_shows_what_is_compiled_here()
    {
        // The page says a name; here each test has its own, since others may run beside it.
        var shown = Page.ReadShown("hosting.md").Select(static line => line.Replace("\"my-mod\"", "name", StringComparison.Ordinal)).ToList();

        Assert.InRange(shown.Count, 15, 65);
        Assert.Empty(shown.Except(Page.ReadCode("HostingPageTests.cs.txt")));
    }

    private sealed class Mods
    {
        private readonly ConcurrentDictionary<int, bool> _loaded = new() { [1] = true, [2] = true, [3] = true };

        public int Count => _loaded.Count;

        public void Suspend(int mod) => _loaded[mod] = false;

        public void Unload(int mod) => _loaded.TryRemove(mod, out _);

        public async ValueTask ResumeAsync(int mod)
        {
            await Task.Yield();
            _loaded[mod] = true;
        }

        public async ValueTask<List<string>> FindAsync(string text, CancellationToken token)
        {
            await Task.Yield();
            token.ThrowIfCancellationRequested();
            return [.. Ids(loadedOnly: false).Where(id => id.Contains(text, StringComparison.Ordinal))];
        }

        public List<string> Ids(bool loadedOnly) => [.. Enumerable.Range(1, 3).Where(mod => !loadedOnly || _loaded[mod]).Select(static mod => $"{mod}")];
    }
}
