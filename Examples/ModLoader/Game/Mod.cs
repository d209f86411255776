using ModLoader.Messaging;

namespace ModLoader.Game;

/// <summary>A mod in the game.</summary>
public sealed class Mod(ModConfig config)
{
    public ModConfig Config => config;

    public ModState State { get; set; }

    /// <summary>The number of frames in which the mod ran.</summary>
    public long Frames { get; private set; }

    public void Update() => Frames += State == ModState.Running ? 1 : 0;
}
