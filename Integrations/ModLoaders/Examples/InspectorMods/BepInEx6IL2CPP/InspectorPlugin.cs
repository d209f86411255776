using System.Linq;
using BepInEx;
using BepInEx.Unity.IL2CPP;

namespace GameInspector;

/// <summary>Shows a tool outside of the game which plugins run, and which scenes the game loads.</summary>
[BepInPlugin("example.inspector", "Inspector", "1.0.0")]
public sealed class InspectorPlugin : BasePlugin
{
    private InspectorComponent? _component;

    public override void Load()
    {
        _component = AddComponent<InspectorComponent>();
        _component._server = new InspectorServer(
            static () => IL2CPPChainloader.Instance.Plugins.Values.Select(static plugin => new ModEntry(plugin.Metadata.GUID, plugin.Metadata.Name, plugin.Metadata.Version.ToString())),
            Log.LogError);
    }

    /// <summary>The loader does not call this method when the game ends. The engine destroys the component then.</summary>
    public override bool Unload()
    {
        _component?.OnDestroy();
        return true;
    }
}
