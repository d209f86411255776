using System;
using System.IO;
using System.Linq;
using System.Runtime.CompilerServices;
using System.Runtime.Loader;
using System.Text.Json.Nodes;
using System.Threading.Channels;
using System.Threading.Tasks;
using LoaderStandIns;
using Reloaded.Messaging.Hosting;
using Reloaded.Messaging.Tests.Support;
using ReloadedMod;
using Xunit;

namespace Reloaded.Messaging.Tests.Loaders;

/// <summary>ReloadedMod, loaded from its folder: with its own copy of the library, in a context that can be unloaded.</summary>
[Quiet]
public sealed class ReloadedModTests : IDisposable
{
    private static readonly string s_mod = (string)AppContext.GetData("ReloadedMod")!;

    private readonly DirectoryInfo _other = Directory.CreateTempSubdirectory("mod-");
    private readonly ModLoaderStandIn _loader = new();

    [Fact]
    public async Task Mod_lists_mods_announces_changes_and_unloads()
    {
        _loader.Load(s_mod);

        await AskAsync();

        Assert.Empty(MessageEndpoint.FindServers("example.inspector"));
        Assert.True(await UnloadedContext.IsCollectedAsync(Unload("example.other")));
    }

    [Theory]
    [InlineData(null, null, true)]
    [InlineData(true, null, true)]
    [InlineData(false, null, false)]
    [InlineData(false, true, true)]
    public void Context_of_mod_can_be_unloaded_unless_its_configuration_has_no_exports(bool? hasExports, bool? canUnload, bool isCollectible)
    {
        _loader.Load(CopyAs("example.exports", config => (config["HasExports"], config["CanUnload"]) = (hasExports, canUnload)));

        var context = (AssemblyLoadContext)_loader.Unload("example.exports").Target!;

        Assert.Equal(isCollectible, context.IsCollectible);
        Assert.Empty(MessageEndpoint.FindServers("example.exports"));
    }

    public void Dispose() => _other.Delete(recursive: true);

    /// <summary>Connects as a tool does, while a second mod is loaded and the first one is unloaded.</summary>
    private async Task AskAsync()
    {
        var changes = Channel.CreateUnbounded<ModChanged>();
        var ended = Signal.New<DisconnectReason>();
        await using var tool = await MessageHost.ConnectAsync(MessageEndpoint.OfProcess(Environment.ProcessId, "example.inspector"), host =>
        {
            host.On((ModChanged changed) => Assert.True(changes.Writer.TryWrite(changed)));
            host.PeerDisconnected += (_, reason) => ended.TrySetResult(reason);
        });
        Assert.Equal([new ModEntry("example.inspector", "Inspector", "1.0.0")], (await tool.RequestAsync(new ListMods()).AsTask().InTime()).Mods);

        _loader.Load(CopyAs("example.other"));
        Assert.Equal(new ModChanged("example.other", IsLoaded: true), await changes.Reader.ReadAsync().AsTask().InTime());
        Assert.Equal(["example.inspector", "example.other"], (await tool.RequestAsync(new ListMods()).AsTask().InTime()).Mods.Select(static mod => mod.Id));

        Assert.True(await UnloadedContext.IsCollectedAsync(Unload("example.inspector")));
        Assert.Equal(new ModChanged("example.inspector", IsLoaded: false), await changes.Reader.ReadAsync().AsTask().InTime());
        Assert.Equal(DisconnectReason.Goodbye, await ended.Task.InTime());
    }

    [MethodImpl(MethodImplOptions.NoInlining)]
    private WeakReference Unload(string mod) => _loader.Unload(mod);

    /// <summary>Creates a folder with the configuration of the mod under another id, and the same assembly.</summary>
    private string CopyAs(string id, Action<JsonNode>? change = null)
    {
        var config = JsonNode.Parse(File.ReadAllText(Path.Combine(s_mod, "ModConfig.json")))!;
        config["ModId"] = id;
        config["ModDll"] = Path.Combine(s_mod, (string)config["ModDll"]!);
        change?.Invoke(config);
        File.WriteAllText(Path.Combine(_other.FullName, "ModConfig.json"), config.ToJsonString());
        return _other.FullName;
    }
}
