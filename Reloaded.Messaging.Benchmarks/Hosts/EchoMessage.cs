namespace Reloaded.Messaging.Benchmarks.Hosts;

/// <summary>The message of the echo figures. It has 24 bytes; with the length prefix and the header of a request, 31 to 33.</summary>
[Message(40)]
public readonly record struct EchoMessage(long A, long B, long C);

/// <summary>A request for the bytes that the process of an echo server has allocated since its start.</summary>
[Message(41)]
public readonly record struct AllocatedQuery(int Unused);

/// <summary>The reply to <see cref="AllocatedQuery"/>, in bytes.</summary>
[Message(42)]
public readonly record struct AllocatedReport(long Bytes);

/// <summary>A one-way message to a typed handler.</summary>
[Message(43)]
public readonly record struct OneWayMessage(long A, long B, long C);

/// <summary>A packet of the typical size in games, for the flush figures.</summary>
[Message(46)]
public sealed record FlushPacket(int Entity, long Tick, byte[] Data);

/// <summary>A request for the number of one-way messages that a server has handled.</summary>
[Message(44)]
public readonly record struct HandledQuery(int Unused);

/// <summary>The reply to <see cref="HandledQuery"/>.</summary>
[Message(45)]
public readonly record struct HandledReport(long Count);

/// <summary>The message of the figures beside other libraries.</summary>
[Message(47)]
public readonly record struct EchoBytes(byte[] Data);
