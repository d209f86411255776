using Reloaded.Messaging;

namespace Fleet;

/// <summary>A match to be played, by whichever server has time. At least once.</summary>
[Message(1)]
public readonly record struct Match(int Id, int Players);

/// <summary>How a match ended. At least once.</summary>
[Message(2)]
public sealed record MatchResult(int Id, string Server, int Winner, bool WasRepeated);

/// <summary>What a server has to do, some times a second. At most once: the next one tells more than a late one.</summary>
[Message(3)]
public sealed record Load(string Server, int Played);

/// <summary>Asks one server, any of them, or a certain one.</summary>
[Message(4)]
public readonly record struct StatusQuery(int Unused);

/// <summary>The answer.</summary>
[Message(5)]
public sealed record Status(string Server, int ProcessId, int Played);
