using System;
using System.IO;
using System.Linq;
using System.Reflection;
using System.Runtime.Loader;
using System.Text.Json;
using System.Threading.Tasks;
using BepInEx;
using BepInEx.NET.Common;
using GameInspector;
using LoaderStandIns;
using Reloaded.Messaging.Hosting;
using Reloaded.Messaging.Tests.Support;
using StardewModdingAPI;
using Xunit;

namespace Reloaded.Messaging.Tests.Loaders;

/// <summary>InspectorMods, in games that call them as their loaders do. The mods are compiled for netstandard2.1, and run with each build of the library.</summary>
public sealed class InspectorModsTests
{
    private static readonly string s_files = (string)AppContext.GetData("InspectorMods")!;

    [Fact]
    public Task BepInEx6_plugin_for_Mono_replies_announces_and_ends() =>
        CheckAsync(new BepInEx6Game(Load("BepInEx6Mono")), BepInEx6Game.RunFrame, BepInEx6Game.LoadScene, "example.inspector");

    [Fact]
    public Task BepInEx6_plugin_for_IL2CPP_replies_announces_and_ends() =>
        CheckAsync(new BepInEx6Game(Load("BepInEx6IL2CPP")), BepInEx6Game.RunFrame, BepInEx6Game.LoadScene, "example.inspector");

    [Fact]
    public async Task BepInEx6_plugin_for_NET_replies_and_announces_in_patched_methods_and_is_not_ended()
    {
        var plugin = Load("BepInEx6NET");
        var game = new NetGame(plugin);
        try
        {
            await AskAsync(game.RunFrame, game.LoadLevel, "example.inspector", static _ =>
            {
                Assert.Single(MessageEndpoint.FindServers("game-inspector"));
                return Task.CompletedTask;
            });
        }
        finally
        {
            var server = plugin.GetType("GameInspector.InspectorPlugin")!.GetField("s_server", BindingFlags.Static | BindingFlags.NonPublic)!.GetValue(null)!;
            server.GetType().GetMethod("Stop")!.Invoke(server, null); // in a game, the process ends
        }
    }

    [Fact]
    public void BepInEx6_logs_plugins_that_are_invalid_or_throw_and_loads_the_others()
    {
        _ = new NetGame(typeof(ValidPlugin).Assembly);

        Assert.Equal(["valid"], NetChainloader.Instance.Plugins.Keys);
        Assert.IsType<ValidPlugin>(NetChainloader.Instance.Plugins["valid"].Instance);
        Assert.Contains(BepInEx6Game.Log, static line => line.StartsWith("[Error :BepInEx] Error loading [Throwing 1.0.0]: System.FormatException: No number.", StringComparison.Ordinal));
        Assert.Contains($"[Warning :BepInEx] Skipping type [{typeof(PluginWithWrongId).FullName}] because its GUID [wrong id] is of an illegal format.", BepInEx6Game.Log);
        Assert.Contains($"[Warning :BepInEx] Skipping over type [{typeof(PluginWithoutMetadata).FullName}] as no metadata attribute is specified", BepInEx6Game.Log);
    }

    [Fact]
    public Task MelonLoader_mod_replies_announces_and_ends()
    {
        var game = new MelonLoaderGame(Load("MelonLoader"));
        return CheckAsync(game, game.RunFrame, game.LoadScene, "GameInspector.Inspector");
    }

    [Fact]
    public Task SMAPI_mod_replies_announces_and_ends()
    {
        var file = Path.Combine(s_files.Split("{loader}")[0], "SMAPI", "manifest.json");
        var game = new SmapiGame(Load("SMAPI"), JsonSerializer.Deserialize<Manifest>(File.ReadAllText(file))!);
        return CheckAsync(game, game.RunFrame, game.LoadSave, "example.inspector");
    }

    [Theory]
    [InlineData("BepInEx6Mono", "BepInEx.Unity")]
    [InlineData("BepInEx6IL2CPP", "BepInEx.Unity")]
    [InlineData("BepInEx6NET", "BepInEx.Unity")]
    [InlineData("MelonLoader", "MelonLoader")]
    [InlineData("SMAPI", "StardewModdingAPI")]
    public void Mod_refers_to_its_loader_and_to_the_assemblies_that_it_ships(string loader, string assembly) =>
        Assert.Equal(
            new[] { assembly, "Reloaded.Messaging", "Reloaded.Messaging.Hosting", "Reloaded.Messaging.Transports", "netstandard" }.Order(StringComparer.Ordinal),
            Load(loader).GetReferencedAssemblies().Select(static reference => reference.Name).Order(StringComparer.Ordinal));

    private static async Task CheckAsync(IDisposable game, Action runFrame, Action<string> load, string id)
    {
        using var ending = game;
        await AskAsync(runFrame, load, id, async ended =>
        {
            game.Dispose();
            Assert.Equal(DisconnectReason.Goodbye, await ended.InTime());
            Assert.Empty(MessageEndpoint.FindServers("game-inspector"));
        });
    }

    /// <summary>Connects as a tool does. The game handles its messages in its frames only.</summary>
    private static async Task AskAsync(Action runFrame, Action<string> load, string id, Func<Task<DisconnectReason>, Task> end)
    {
        GameInspector.MessageContracts.Declare(); // an assembly for netstandard2.1 has no module initializer
        var loaded = Signal.New<Loaded>();
        var ended = Signal.New<DisconnectReason>();
        await using var tool = await MessageHost.ConnectAsync(MessageEndpoint.OfProcess(Environment.ProcessId, "game-inspector"), host =>
        {
            host.On((Loaded what) => loaded.TrySetResult(what));
            host.PeerDisconnected += (_, reason) => ended.TrySetResult(reason);
        });

        var asking = tool.RequestAsync(new ListMods(), Deadline.Length).AsTask();
        await FramesUntilAsync(asking);
        Assert.Equal([new ModEntry(id, "Inspector", "1.0.0")], (await asking).Mods);

        load("Level 1");
        await FramesUntilAsync(loaded.Task);
        Assert.Equal(new Loaded("Level 1"), await loaded.Task);

        await end(ended.Task);

        Task FramesUntilAsync(Task task) => Signal.UntilAsync(() =>
        {
            runFrame();
            return task.IsCompleted;
        });
    }

    /// <summary>Loads a mod from its folder. All mods have one name, so each has a separate context, with the library and the loader of this process.</summary>
    private static Assembly Load(string loader) =>
        new AssemblyLoadContext(loader).LoadFromAssemblyPath(Path.GetFullPath(s_files.Replace("{loader}", loader, StringComparison.Ordinal)));

    [BepInPlugin("valid", "Valid", "1.0.0")]
    public sealed class ValidPlugin : BasePlugin
    {
        public override void Load()
        {
            // A plugin that does nothing.
        }
    }

    [BepInPlugin("throwing", "Throwing", "1.0.0")]
    public sealed class ThrowingPlugin : BasePlugin
    {
        public override void Load() => throw new FormatException("No number.");
    }

    [BepInPlugin("wrong id", "Wrong", "1.0.0")]
    public sealed class PluginWithWrongId : BasePlugin
    {
        public override void Load() => throw new NotSupportedException();
    }

    public sealed class PluginWithoutMetadata : BasePlugin
    {
        public override void Load() => throw new NotSupportedException();
    }

    /// <summary>The fields of manifest.json that the stand-in uses.</summary>
    private sealed record Manifest(string Name, string UniqueID, string Version, string EntryDll) : IManifest, ISemanticVersion
    {
        ISemanticVersion IManifest.Version => this;

        public override string ToString() => Version;
    }
}
