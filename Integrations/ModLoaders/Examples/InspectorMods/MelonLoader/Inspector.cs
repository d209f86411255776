using System.Linq;
using GameInspector;
using MelonLoader;

[assembly: MelonInfo(typeof(Inspector), "Inspector", "1.0.0", "Example")]
[assembly: MelonGame] // any game; or the names of its developer and of the game

namespace GameInspector;

/// <summary>Shows a tool outside of the game which mods run, and which scenes the game loads.</summary>
public sealed class Inspector : MelonMod
{
    private InspectorServer? _server;

    public override void OnInitializeMelon() => _server = new InspectorServer(
        static () => RegisteredMelons.Select(static mod => new ModEntry(mod.Info.SystemType.FullName!, mod.Info.Name, mod.Info.Version)),
        LoggerInstance.Error);

    public override void OnUpdate() => _server?.Pump();

    public override void OnSceneWasLoaded(int buildIndex, string sceneName) => _server?.Announce(sceneName);

    public override void OnDeinitializeMelon()
    {
        _server?.Stop();
        _server = null;
    }
}
