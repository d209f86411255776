using Reloaded.Messaging.Contracts;

namespace Reloaded.Messaging.Tests.Game.Datagrams;

/// <summary>What came of the datagrams that reached a process.</summary>
/// <param name="Received">Datagrams that its socket got, whatever became of them.</param>
/// <param name="Drops">Those that were dropped, for each reason of <see cref="DatagramTraffic.Drops"/>.</param>
/// <param name="Deliveries">Messages that were handled.</param>
/// <param name="Failure">What was delivered and should not have been, if anything was.</param>
[Message(25)]
public readonly record struct DatagramsTaken(long Received, long[] Drops, int Deliveries, string? Failure);
