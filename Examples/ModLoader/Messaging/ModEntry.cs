using Reloaded.Messaging;

namespace ModLoader.Messaging;

/// <summary>One mod: its whole configuration, its state, and the number of frames in which it ran.</summary>
[Message(5)]
public sealed record ModEntry(ModConfig Config, ModState State, long Frames);
