using System.Linq;
using BepInEx;
using BepInEx.NET.Common;
using HarmonyLib;

namespace GameInspector;

/// <summary>Shows a tool outside of the game which plugins run, and which levels the game loads.</summary>
[BepInPlugin("example.inspector", "Inspector", "1.0.0")]
public sealed class InspectorPlugin : BasePlugin
{
    private static InspectorServer? s_server;

    /// <summary>Called before the game starts. Nothing is called when the game ends: the tool sees a lost connection.</summary>
    public override void Load()
    {
        s_server = new InspectorServer(
            static () => NetChainloader.Instance.Plugins.Values.Select(static plugin => new ModEntry(plugin.Metadata.GUID, plugin.Metadata.Name, plugin.Metadata.Version.ToString())),
            Log.LogError);

        // Name methods of your game: one that runs in each frame, and one that loads a level.
        HarmonyInstance.Patch(AccessTools.Method("ExampleGame.Game:Update"), postfix: new HarmonyMethod(typeof(InspectorPlugin), nameof(AfterUpdate)));
        HarmonyInstance.Patch(AccessTools.Method("ExampleGame.Game:LoadLevel"), postfix: new HarmonyMethod(typeof(InspectorPlugin), nameof(AfterLoadLevel)));
    }

    private static void AfterUpdate() => s_server?.Pump();

    /// <param name="name">The argument of the patched method with this name.</param>
    private static void AfterLoadLevel(string name) => s_server?.Announce(name);
}
