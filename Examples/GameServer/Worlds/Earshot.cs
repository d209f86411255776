using Reloaded.Messaging.Hosting;

namespace GameServer.Worlds;

/// <summary>Selects the players that hear a creature.</summary>
public readonly struct Earshot(Creature speaker, PeerState<Player> players) : IPeerInterest
{
    public bool Includes(Peer peer) => players.Of(peer).Creature is { } listener && listener.IsNear(speaker, World.Sight);
}
