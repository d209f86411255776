namespace Reloaded.Messaging.Tests;

[Message(1)]
public readonly record struct Numbered(long Number);

[Message(2)]
public readonly record struct Question(int Number);

[Message(3)]
public readonly record struct Reply(int Number, int ProcessId);

[Message(4)]
public sealed record Text(string Value);

/// <summary>A type that nobody handles.</summary>
[Message(5)]
public readonly record struct Unhandled(int Number);
