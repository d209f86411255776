namespace BepInEx;

/// <summary>A loaded plugin.</summary>
public sealed class PluginInfo
{
    internal PluginInfo(BepInPlugin metadata) => Metadata = metadata;

    public BepInPlugin Metadata { get; }
}
