extern alias BepInEx5;

using System;
using System.Linq;
using System.Threading.Tasks;
using BepInEx5::LoaderStandIns;
using BepInExPlugin;
using Reloaded.Messaging.Hosting;
using Reloaded.Messaging.Tests.Support;
using Xunit;

namespace Reloaded.Messaging.Tests.Loaders;

/// <summary>BepInExPlugin, in a game that calls it as Unity does. The plugin is compiled for netstandard2.1, and runs with each build of the library.</summary>
public sealed class BepInExPluginTests
{
    [Fact]
    public async Task Plugin_replies_in_a_frame_announces_scenes_and_ends_with_the_game()
    {
        using var game = new GameStandIn();
        game.LoadPlugins(typeof(InspectorPlugin).Assembly);
        var scene = Signal.New<SceneLoaded>();
        var ended = Signal.New<DisconnectReason>();
        await using var tool = await MessageHost.ConnectAsync(MessageEndpoint.OfProcess(Environment.ProcessId, "inspector"), host =>
        {
            host.On((SceneLoaded loaded) => scene.SetResult(loaded));
            host.PeerDisconnected += (_, reason) => ended.SetResult(reason);
        });

        var asking = tool.RequestAsync(new ListPlugins(), Deadline.Length).AsTask();
        await Signal.UntilAsync(() =>
        {
            game.RunFrame();
            return asking.IsCompleted;
        });
        Assert.Equal([new PluginEntry("example.inspector", "Inspector", "1.0.0")], (await asking).Plugins);

        GameStandIn.LoadScene("Level 1");
        Assert.Equal(new SceneLoaded("Level 1"), await scene.Task.InTime());

        game.Dispose();
        Assert.Equal(DisconnectReason.Goodbye, await ended.Task.InTime());
        Assert.Empty(MessageEndpoint.FindServers("inspector"));
    }

    [Fact]
    public void Plugin_refers_to_its_loader_and_to_the_assemblies_that_it_ships() =>
        Assert.Equal(
            ["BepInEx", "Reloaded.Messaging", "Reloaded.Messaging.Hosting", "Reloaded.Messaging.Transports", "netstandard"],
            typeof(InspectorPlugin).Assembly.GetReferencedAssemblies().Select(static reference => reference.Name).OrderBy(static name => name, StringComparer.Ordinal));
}
