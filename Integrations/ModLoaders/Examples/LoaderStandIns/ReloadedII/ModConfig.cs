using Reloaded.Mod.Interfaces.Internal;

namespace LoaderStandIns;

/// <summary>The fields of a file ModConfig.json that the loader uses.</summary>
internal sealed class ModConfig : IModConfigV1
{
    public string ModId { get; set; } = "";

    public string ModName { get; set; } = "";

    public string ModVersion { get; set; } = "";

    public string ModDll { get; set; } = "";
}
