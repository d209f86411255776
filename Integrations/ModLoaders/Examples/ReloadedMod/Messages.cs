using System.Collections.Generic;
using Reloaded.Messaging;
using Reloaded.Messaging.Hosting;

namespace ReloadedMod;

/// <summary>Requests the mods that are loaded.</summary>
[Message(1)]
public sealed record ListMods : IRequest<ModList>;

/// <summary>The mods that are loaded.</summary>
[Message(2)]
public sealed record ModList(List<ModEntry> Mods);

/// <summary>A mod.</summary>
[Message(3)]
public sealed record ModEntry(string Id, string Name, string Version);

/// <summary>A mod was loaded, or is about to be unloaded.</summary>
[Message(4)]
public sealed record ModChanged(string Id, bool IsLoaded);
