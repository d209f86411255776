using System.Linq;
using StardewModdingAPI;

namespace GameInspector;

/// <summary>Shows a tool outside of the game which mods run, and which saved games the player loads.</summary>
public sealed class Inspector : Mod
{
    private InspectorServer? _server;

    public override void Entry(IModHelper helper)
    {
        _server = new InspectorServer(
            () => helper.ModRegistry.GetAll().Select(static mod => new ModEntry(mod.Manifest.UniqueID, mod.Manifest.Name, mod.Manifest.Version.ToString()!)),
            text => Monitor.Log(text, LogLevel.Error));
        helper.Events.GameLoop.UpdateTicked += (_, _) => _server?.Pump();
        helper.Events.GameLoop.SaveLoaded += (_, _) => _server?.Announce(Constants.SaveFolderName ?? "");
    }

    protected override void Dispose(bool disposing)
    {
        if (disposing)
            _server?.Stop();
        _server = null;
        base.Dispose(disposing);
    }
}
