using Reloaded.Messaging;

namespace Echo;

/// <summary>What is asked, and what comes back.</summary>
[Message(1)]
public readonly record struct Echoed(long Number, long SentAt);

/// <summary>Asks the server how it is.</summary>
[Message(2)]
public readonly record struct StatusQuery(int Unused);

/// <summary>How the server is.</summary>
[Message(3)]
public sealed record Status(int ProcessId, long Answered, long AllocatedBytes, int Peers);
