namespace Reloaded.Messaging.Tests.Properties;

public readonly record struct Lanes(long A, long B, long C, long D, long E, long F, long G, long H);
