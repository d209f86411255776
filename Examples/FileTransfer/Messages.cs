using Reloaded.Messaging;

namespace FileTransfer;

/// <summary>A request for the hash of the received file.</summary>
[Message(1)]
public readonly record struct HashQuery(int Unused);

/// <summary>The reply to <see cref="HashQuery"/>: the SHA-256 hash, as hexadecimal digits.</summary>
[Message(2)]
public sealed record HashReport(string Hash);
