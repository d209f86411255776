namespace Reloaded.Messaging.Benchmarks.Hosts;

/// <summary>24 bytes that come back: with the length and header of a request, 31 to 33.</summary>
[Message(40)]
public readonly record struct EchoMessage(long A, long B, long C);

/// <summary>What an echo server has allocated since its process started.</summary>
[Message(41)]
public readonly record struct AllocatedQuery(int Unused);

/// <summary>The answer to <see cref="AllocatedQuery"/>, in bytes.</summary>
[Message(42)]
public readonly record struct AllocatedReport(long Bytes);

/// <summary>One way, through a typed handler.</summary>
[Message(43)]
public readonly record struct OneWayMessage(long A, long B, long C);

/// <summary>A packet of a game's size, for the flush figures.</summary>
[Message(46)]
public sealed record FlushPacket(int Entity, long Tick, byte[] Data);

/// <summary>How many one-way messages a server has handled.</summary>
[Message(44)]
public readonly record struct HandledQuery(int Unused);

/// <summary>The answer to <see cref="HandledQuery"/>.</summary>
[Message(45)]
public readonly record struct HandledReport(long Count);
