using Reloaded.Messaging;

namespace Fleet;

/// <summary>A match to play. Any server that has time receives it, at least once.</summary>
[Message(1)]
public readonly record struct Match(int Id, int Players, int LobbyProcess);

/// <summary>The result of a match. Delivered at least once, with the id of the match as its message id.</summary>
[Message(2)]
public sealed record MatchResult(int Id, string Server, int Winner, bool WasRepeated, int LobbyProcess);

/// <summary>Reports that the statistics worker has stored a result. Delivered at most once.</summary>
[Message(3)]
public readonly record struct Stored(int Id, int WorkerProcess);

/// <summary>A request for the standings, to the statistics worker.</summary>
[Message(4)]
public readonly record struct StandingsQuery(int Unused);

/// <summary>The reply to <see cref="StandingsQuery"/>: the number of matches with a result, and of results that were skipped because they were stored before.</summary>
[Message(5)]
public sealed record Standings(int Matches, int Skipped);
