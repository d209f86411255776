namespace GameServer.Worlds;

/// <summary>What a world's server did since it began.</summary>
/// <param name="Players">Players now.</param>
/// <param name="Ticks">Ticks that ran.</param>
/// <param name="Received">Messages of players that were handled.</param>
/// <param name="Sent">Messages that players were sent.</param>
/// <param name="SentBytes">The updates' bytes, before they are encrypted.</param>
public readonly record struct WorldCounts(int Players, long Ticks, long Received, long Sent, long SentBytes);
