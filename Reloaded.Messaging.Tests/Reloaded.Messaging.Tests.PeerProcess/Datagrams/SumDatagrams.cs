namespace Reloaded.Messaging.Tests.PeerProcess.Datagrams;

/// <summary>Asks for <see cref="DatagramsTaken"/>.</summary>
[Message(24)]
public readonly record struct SumDatagrams;
