using Reloaded.Messaging;

namespace ModLoader.Messaging;

/// <summary>One mod: its whole configuration, what it does now, and in how many frames it ran.</summary>
[Message(5)]
public sealed record ModEntry(ModConfig Config, ModState State, long Frames);
