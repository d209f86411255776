using System.Collections.Generic;
using Reloaded.Messaging;
using Reloaded.Messaging.Hosting;

namespace BepInExPlugin;

/// <summary>Requests the plugins of the game.</summary>
[Message(1)]
public sealed record ListPlugins : IRequest<PluginList>;

/// <summary>The plugins of the game.</summary>
[Message(2)]
public sealed record PluginList(List<PluginEntry> Plugins);

/// <summary>A plugin of the game.</summary>
[Message(3)]
public sealed record PluginEntry(string Id, string Name, string Version);

/// <summary>The game loaded a scene.</summary>
[Message(4)]
public sealed record SceneLoaded(string Name);
