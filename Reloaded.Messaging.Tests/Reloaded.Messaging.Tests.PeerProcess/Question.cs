namespace Reloaded.Messaging.Tests.PeerProcess;

/// <summary>What a test asks the game.</summary>
[Message(20)]
public readonly record struct Question(int Number);
