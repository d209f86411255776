using System;
using System.Linq;
using Reloaded.Messaging;
using Reloaded.Messaging.Hosting;
using Reloaded.Mod.Interfaces;
using Reloaded.Mod.Interfaces.Internal;

namespace ReloadedMod;

/// <summary>Shows a tool outside of the game which mods are loaded, and which are loaded and unloaded later.</summary>
public sealed class Mod : IMod
{
    private IModLoader _loader = null!;
    private ILogger _logger = null!;
    private MessageServer _server = null!;

    public Action? Disposing => null;

    public void StartEx(IModLoaderV1 loader, IModConfigV1 config)
    {
        _loader = (IModLoader)loader;
        _logger = (ILogger)loader.GetLogger();
        var endpoint = MessageEndpoint.OfProcess(Environment.ProcessId, config.ModId);
        _server = MessageHost.ListenAsync(endpoint, Register).GetAwaiter().GetResult();
        _server.HandlerFailed += failure => _logger.WriteLine($"[{config.ModId}] {failure.Exception}");
        _loader.ModLoaded += OnModLoaded;
        _loader.ModUnloading += OnModUnloading;
        _logger.WriteLine($"[{config.ModId}] A tool can connect to {endpoint}.");
    }

    public void Start(IModLoaderV1 loader)
    {
    }

    public bool CanUnload() => true;

    public void Unload()
    {
        _loader.ModLoaded -= OnModLoaded;
        _loader.ModUnloading -= OnModUnloading;
        _server.DisposeAsync().AsTask().GetAwaiter().GetResult();
    }

    public bool CanSuspend() => false;

    public void Suspend()
    {
    }

    public void Resume()
    {
    }

    /// <summary>The handlers run on the thread pool. A mod that hooks the frame of its game sets <see cref="MessageHostOptions.IsPumped"/> and pumps there.</summary>
    private void Register(MessageServer server)
    {
        _ = server.AllowInspection(); // for the command "watch" of the tool
        _ = server.OnRequest((ListMods _) => new ModList(
            [.. _loader.GetActiveMods().Select(static mod => new ModEntry(mod.Generic.ModId, mod.Generic.ModName, mod.Generic.ModVersion))]));
    }

    private void OnModLoaded(IModV1 mod, IModConfigV1 config) => _server.Broadcast(new ModChanged(config.ModId, IsLoaded: true));

    private void OnModUnloading(IModV1 mod, IModConfigV1 config) => _server.Broadcast(new ModChanged(config.ModId, IsLoaded: false));
}
