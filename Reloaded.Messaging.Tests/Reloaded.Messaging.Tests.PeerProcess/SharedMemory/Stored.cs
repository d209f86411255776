namespace Reloaded.Messaging.Tests.PeerProcess.SharedMemory;

/// <summary>That a <see cref="Store"/> was noted.</summary>
/// <param name="Number">Its number; -1 if its bytes were not those of the number.</param>
[Message(51)]
public readonly record struct Stored(long Number);
