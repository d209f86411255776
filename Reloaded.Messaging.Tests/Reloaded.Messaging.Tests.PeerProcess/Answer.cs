namespace Reloaded.Messaging.Tests.PeerProcess;

/// <summary>What the game answers: the question's number, and which process that is.</summary>
[Message(21)]
public readonly record struct Answer(int Number, int ProcessId);
