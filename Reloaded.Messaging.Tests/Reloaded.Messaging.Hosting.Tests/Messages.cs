namespace Reloaded.Messaging.Tests;

[Message(1)]
public readonly record struct Ping(int Number);

[Message(2)]
public readonly record struct Pong(int Number);

[Message(3)]
public sealed record Note(string Text);
