using System.Collections.Generic;
using Reloaded.Messaging;

namespace ModLoader.Messaging;

/// <summary>The mods of a game, and which process it is.</summary>
[Message(4, Compressor = typeof(BrotliCompressor))]
public sealed record ModList(int ProcessId, List<ModEntry> Mods);
