namespace Reloaded.Mod.Interfaces.Internal;

/// <summary>The file ModConfig.json of a mod.</summary>
public interface IModConfigV1
{
    string ModId { get; set; }

    string ModName { get; set; }

    string ModVersion { get; set; }
}
