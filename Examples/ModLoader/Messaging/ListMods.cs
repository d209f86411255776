using Reloaded.Messaging;

namespace ModLoader.Messaging;

/// <summary>Asks for every mod of a game.</summary>
[Message(3)]
public readonly record struct ListMods;
