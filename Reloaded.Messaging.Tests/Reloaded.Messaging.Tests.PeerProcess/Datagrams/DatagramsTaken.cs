using Reloaded.Messaging.Hosting;

namespace Reloaded.Messaging.Tests.PeerProcess.Datagrams;

/// <summary>What came of the datagrams that reached a process.</summary>
/// <param name="Drops">Datagrams that were dropped, for each reason of <see cref="DatagramDropReason"/>.</param>
/// <param name="Deliveries">Messages that were handled.</param>
/// <param name="Failure">What was delivered and should not have been, if anything was.</param>
[Message(25)]
public readonly record struct DatagramsTaken(long[] Drops, int Deliveries, string? Failure);
