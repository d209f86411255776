namespace GameServer.Worlds;

/// <summary>The counters of a world server since its start.</summary>
/// <param name="Players">The number of players now.</param>
/// <param name="Ticks">The number of ticks.</param>
/// <param name="Received">The number of handled messages from players.</param>
/// <param name="Sent">The number of messages sent to players.</param>
/// <param name="Skipped">The number of updates that were skipped, because earlier messages to the player waited.</param>
/// <param name="SentBytes">The size of the sent updates before encryption, in bytes.</param>
public readonly record struct WorldCounts(int Players, long Ticks, long Received, long Sent, long Skipped, long SentBytes);
