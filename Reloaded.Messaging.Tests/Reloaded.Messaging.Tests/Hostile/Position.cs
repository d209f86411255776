namespace Reloaded.Messaging.Tests.Hostile;

public readonly record struct Position(float X, float Y, float Z, int Entity);
