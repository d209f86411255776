namespace Reloaded.Messaging.Tests.PeerProcess.Datagrams;

/// <summary>Asks for some numbers to be sent; the answer is the same, once they were.</summary>
/// <param name="First">The first number.</param>
/// <param name="Count">How many.</param>
[Message(23)]
public readonly record struct SendDatagrams(int First, int Count);
