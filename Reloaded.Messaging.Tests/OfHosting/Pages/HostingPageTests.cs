using System;
using System.Collections.Generic;
using System.Linq;
using System.Threading;
using System.Threading.Tasks;
using Reloaded.Messaging.Contracts;
using Reloaded.Messaging.Hosting;
using Reloaded.Messaging.Hosting.Peers;
using Reloaded.Messaging.Tests.Support;
using Xunit;

namespace Reloaded.Messaging.Tests.Pages;

[Message(10)] public readonly record struct Suspend(int Mod);
[Message(11)] public readonly record struct ListMods(bool LoadedOnly);
[Message(12)] public sealed record ModList(List<string> Ids);

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
        await using var server = await MessageHost.ListenAsync(Endpoint.Local(name), host =>
        {
            host.On((in Suspend suspend, Peer from) => mods.Suspend(suspend.Mod));
            host.OnRequest((ListMods request) => new ModList(mods.Ids(request.LoadedOnly)));
        });

        // The tool outside.
        await using var game = await MessageHost.ConnectAsync(Endpoint.Local(name));
        game.Send(new Suspend(3));
        ModList list = await game.RequestAsync<ListMods, ModList>(new ListMods(LoadedOnly: true));

        Assert.Equal(["1", "2"], list.Ids);
    }

    [Fact]
    public void The_page_shows_what_is_compiled_here()
    {
        // The page says a name; here each test has its own, since others may run beside it.
        var shown = Page.ReadShown("hosting.md").Select(static line => line.Replace("\"my-mod\"", "name", StringComparison.Ordinal)).ToList();

        Assert.InRange(shown.Count, 15, 50);
        Assert.Empty(shown.Except(Page.ReadCode("HostingPageTests.cs.txt")));
    }

    private sealed class Mods
    {
        private readonly HashSet<int> _loaded = [1, 2, 3];

        public void Suspend(int mod) => _loaded.Remove(mod);

        public List<string> Ids(bool loadedOnly) => [.. Enumerable.Range(1, 3).Where(mod => !loadedOnly || _loaded.Contains(mod)).Select(static mod => $"{mod}")];
    }
}
