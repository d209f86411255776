using System.Linq;
using BepInEx;
using BepInEx.Unity.Mono;
using BepInEx.Unity.Mono.Bootstrap;
using UnityEngine.SceneManagement;

namespace GameInspector;

/// <summary>Shows a tool outside of the game which plugins run, and which scenes the game loads.</summary>
[BepInPlugin("example.inspector", "Inspector", "1.0.0")]
public sealed class InspectorPlugin : BaseUnityPlugin
{
    private InspectorServer? _server;

    private void Awake()
    {
        _server = new InspectorServer(
            static () => UnityChainloader.Instance.Plugins.Values.Select(static plugin => new ModEntry(plugin.Metadata.GUID, plugin.Metadata.Name, plugin.Metadata.Version.ToString())),
            Logger.LogError);
        SceneManager.sceneLoaded += OnSceneLoaded;
    }

    private void Update() => _server?.Pump();

    private void OnDestroy()
    {
        SceneManager.sceneLoaded -= OnSceneLoaded;
        _server?.Stop();
        _server = null;
    }

    private void OnSceneLoaded(Scene scene, LoadSceneMode mode) => _server?.Announce(scene.name);
}
