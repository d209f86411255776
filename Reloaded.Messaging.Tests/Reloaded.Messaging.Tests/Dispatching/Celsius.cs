namespace Reloaded.Messaging.Tests.Dispatching;

internal readonly record struct Celsius(long Degrees);
