using Reloaded.Messaging;

namespace ModLoader.Messaging;

/// <summary>Loads, unloads, suspends or resumes a mod. To ask twice does no more than to ask once.</summary>
[Message(6)]
public sealed record SetModState(string ModId, ModState State);
