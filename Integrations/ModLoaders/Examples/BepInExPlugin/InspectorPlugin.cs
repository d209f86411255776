using System;
using System.Diagnostics;
using System.Linq;
using BepInEx;
using BepInEx.Bootstrap;
using Reloaded.Messaging;
using Reloaded.Messaging.Hosting;
using UnityEngine.SceneManagement;

namespace BepInExPlugin;

/// <summary>Shows a tool outside of the game which plugins run, and which scenes the game loads.</summary>
[BepInPlugin("example.inspector", "Inspector", "1.0.0")]
public sealed class InspectorPlugin : BaseUnityPlugin
{
    private static readonly PumpBudget s_perFrame = PumpBudget.Time(TimeSpan.FromMilliseconds(2));

    private MessageServer? _server;

    private void Awake()
    {
        MessageContracts.Declare(); // the runtime of Unity runs no module initializers
        var endpoint = MessageEndpoint.OfProcess(Process.GetCurrentProcess().Id, "inspector");
        _server = MessageHost.ListenAsync(endpoint, Register, new MessageHostOptions { IsPumped = true }).GetAwaiter().GetResult();
        _server.HandlerFailed += failure => Logger.LogError(failure.Exception);
        SceneManager.sceneLoaded += OnSceneLoaded;
        Logger.LogInfo($"A tool can connect to {endpoint}.");
    }

    private void Update() => _server?.Pump(s_perFrame);

    private void OnDestroy()
    {
        SceneManager.sceneLoaded -= OnSceneLoaded;
        _server?.DisposeAsync().AsTask().GetAwaiter().GetResult();
        _server = null;
    }

    /// <summary>The handlers run in <see cref="Update"/>, so they may use the game.</summary>
    private static void Register(MessageServer server)
    {
        _ = server.AllowInspection(); // for the command "watch" of the tool
        _ = server.OnRequest((ListPlugins _) => new PluginList(
            [.. Chainloader.PluginInfos.Values.Select(static plugin => new PluginEntry(plugin.Metadata.GUID, plugin.Metadata.Name, plugin.Metadata.Version.ToString()))]));
    }

    private void OnSceneLoaded(Scene scene, LoadSceneMode mode) => _server?.Broadcast(new SceneLoaded(scene.name));
}
