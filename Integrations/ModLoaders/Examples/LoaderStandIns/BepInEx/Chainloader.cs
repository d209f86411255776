using System.Collections.Generic;

namespace BepInEx.Bootstrap;

/// <summary>The loader of plugins.</summary>
public static class Chainloader
{
    /// <summary>The loaded plugins, by their GUIDs.</summary>
    public static Dictionary<string, PluginInfo> PluginInfos { get; } = [];
}
