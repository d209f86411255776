namespace Reloaded.Messaging.Tests.RecyclableStreams;

[Message(4)]
public readonly record struct Position(int X, int Y);
