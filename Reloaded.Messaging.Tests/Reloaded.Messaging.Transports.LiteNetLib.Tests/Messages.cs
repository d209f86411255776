namespace Reloaded.Messaging.Tests.LiteNet;

[Message(1)]
public readonly record struct Ping(int Number);

[Message(2)]
public readonly record struct Pong(int Number);

[Message(3)]
public sealed record Note(string Text);

[Message(4)]
public readonly record struct Position(int X, int Y);

[Message(5)]
public sealed record Snapshot(byte[] Bytes);
