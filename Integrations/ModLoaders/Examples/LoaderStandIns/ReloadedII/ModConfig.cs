using Reloaded.Mod.Interfaces.Internal;

namespace LoaderStandIns;

/// <summary>The fields of a file ModConfig.json that the loader uses.</summary>
internal sealed class ModConfig : IModConfigV1
{
    public string ModId { get; set; } = "";

    public string ModName { get; set; } = "";

    public string ModVersion { get; set; } = "";

    public string ModDll { get; set; } = "";

    /// <summary>Whether other mods use types of this mod; null if unknown.</summary>
    public bool? HasExports { get; set; }

    /// <summary>Whether the mod may be unloaded although it has no exports; null if unknown.</summary>
    public bool? CanUnload { get; set; }
}
