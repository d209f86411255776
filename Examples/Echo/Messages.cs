using Reloaded.Messaging;

namespace Echo;

/// <summary>The request, which the server returns unchanged as its reply.</summary>
[Message(1)]
public readonly record struct Echoed(long Number, long SentAt);

/// <summary>A request for the server's state.</summary>
[Message(2)]
public readonly record struct StatusQuery(int Unused);

/// <summary>The state of the server.</summary>
[Message(3)]
public sealed record Status(int ProcessId, long Answered, long AllocatedBytes, int Peers);
