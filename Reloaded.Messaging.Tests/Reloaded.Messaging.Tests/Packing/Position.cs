namespace Reloaded.Messaging.Tests.Packing;

public readonly record struct Position(int X, int Y, int Z);
