using System.Collections.Generic;
using Reloaded.Messaging;
using Reloaded.Messaging.Hosting;

namespace GameInspector;

/// <summary>Requests the mods of the game.</summary>
[Message(1)]
public sealed record ListMods : IRequest<ModList>;

/// <summary>The mods of the game.</summary>
[Message(2)]
public sealed record ModList(List<ModEntry> Mods);

/// <summary>A mod of the game.</summary>
[Message(3)]
public sealed record ModEntry(string Id, string Name, string Version);

/// <summary>The game loaded a scene, or a saved game.</summary>
[Message(4)]
public sealed record Loaded(string Name);
