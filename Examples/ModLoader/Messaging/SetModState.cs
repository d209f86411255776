using Reloaded.Messaging;

namespace ModLoader.Messaging;

/// <summary>Loads, unloads, suspends or resumes a mod. A repeated request has no further effect.</summary>
[Message(6)]
public sealed record SetModState(string ModId, ModState State);
