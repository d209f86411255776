namespace Reloaded.Messaging.Tests.LiteNet;

[Message(5)]
public sealed record Snapshot(byte[] Bytes);

[Message(6)]
public readonly record struct Position(int X, int Y);
