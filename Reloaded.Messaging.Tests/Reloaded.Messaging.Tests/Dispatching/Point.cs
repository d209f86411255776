namespace Reloaded.Messaging.Tests.Dispatching;

internal readonly record struct Point(int X, int Y);
