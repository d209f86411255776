namespace Reloaded.Messaging.Tests.Dispatching;

internal readonly record struct ModMove(int Steps);
