using System;
using System.IO;
using System.Linq;
using System.Reflection;
using System.Runtime.Loader;
using System.Text.Json;
using System.Threading.Tasks;
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
    [InlineData("MelonLoader", "MelonLoader")]
    [InlineData("SMAPI", "StardewModdingAPI")]
    public void Mod_refers_to_its_loader_and_to_the_assemblies_that_it_ships(string loader, string assembly) =>
        Assert.Equal(
            new[] { assembly, "Reloaded.Messaging", "Reloaded.Messaging.Hosting", "Reloaded.Messaging.Transports", "netstandard" }.Order(StringComparer.Ordinal),
            Load(loader).GetReferencedAssemblies().Select(static reference => reference.Name).Order(StringComparer.Ordinal));

    /// <summary>Connects as a tool does. The game handles its messages in its frames only.</summary>
    private static async Task CheckAsync(IDisposable game, Action runFrame, Action<string> load, string id)
    {
        using var ending = game;
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

        game.Dispose();
        Assert.Equal(DisconnectReason.Goodbye, await ended.Task.InTime());
        Assert.Empty(MessageEndpoint.FindServers("game-inspector"));

        Task FramesUntilAsync(Task task) => Signal.UntilAsync(() =>
        {
            runFrame();
            return task.IsCompleted;
        });
    }

    /// <summary>Loads a mod from its folder. All mods have one name, so each has a separate context, with the library and the loader of this process.</summary>
    private static Assembly Load(string loader) =>
        new AssemblyLoadContext(loader).LoadFromAssemblyPath(Path.GetFullPath(s_files.Replace("{loader}", loader, StringComparison.Ordinal)));

    /// <summary>The fields of manifest.json that the stand-in uses.</summary>
    private sealed record Manifest(string Name, string UniqueID, string Version, string EntryDll) : IManifest, ISemanticVersion
    {
        ISemanticVersion IManifest.Version => this;

        public override string ToString() => Version;
    }
}
