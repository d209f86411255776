using Reloaded.Messaging;

namespace Fleet;

/// <summary>A match to play. Any server that has time receives it, at least once.</summary>
[Message(1)]
public readonly record struct Match(int Id, int Players);

/// <summary>The result of a match. Delivered at least once.</summary>
[Message(2)]
public sealed record MatchResult(int Id, string Server, int Winner, bool WasRepeated);

/// <summary>The load of a server, sent several times a second. Delivered at most once, because the next load is more useful than a late one.</summary>
[Message(3)]
public sealed record Load(string Server, int Played);

/// <summary>A request for the status of one server: any server, or a specific server.</summary>
[Message(4)]
public readonly record struct StatusQuery(int Unused);

/// <summary>The reply to <see cref="StatusQuery"/>.</summary>
[Message(5)]
public sealed record Status(string Server, int ProcessId, int Played);
