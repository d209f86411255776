using System;
using Reloaded.Messaging;
using Reloaded.Messaging.Games;

namespace GameServer.Bots;

/// <summary>What a network path does to datagrams. A request of the server to the process of the bots.</summary>
/// <param name="Loss">The share of datagrams that are lost in each direction, in percent.</param>
/// <param name="Delay">The round-trip time, in milliseconds.</param>
/// <param name="Rate">The rate of each player in each direction, in kbit/s; 0 for no limit. At most 200 ms of it wait in a queue.</param>
[Message(100)]
public readonly record struct PathConditions(int Loss, int Delay, int Rate) : IRequest
{
    /// <summary>Changes a path. Datagrams that are on it already are not affected.</summary>
    public void ApplyTo(NetworkPath path) => (path.Loss, path.Delay, path.BytesPerSecond) = (Loss / 100.0, TimeSpan.FromMilliseconds(Delay / 2.0), Rate * 125);

    public override string ToString() => $"{Loss} % of the datagrams are lost in each direction, a round trip takes {Delay} ms, and each player has {(Rate == 0 ? "any rate" : $"{Rate:N0} kbit/s")}";
}
