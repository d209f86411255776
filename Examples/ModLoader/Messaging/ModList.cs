using System.Collections.Generic;
using Reloaded.Messaging;

namespace ModLoader.Messaging;

/// <summary>The mods of a game, and the id of its process.</summary>
[Message(4, Compressor = typeof(BrotliCompressor))]
public sealed record ModList(int ProcessId, List<ModEntry> Mods);
