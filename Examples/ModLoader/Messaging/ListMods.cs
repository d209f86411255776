using Reloaded.Messaging;

namespace ModLoader.Messaging;

/// <summary>A request for all mods of a game.</summary>
[Message(3)]
public readonly record struct ListMods;
