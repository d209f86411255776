using Reloaded.Messaging.Hosting.Peers;

namespace Reloaded.Messaging.Hosting.Groups;

/// <summary>No choice at all: compiled away.</summary>
internal readonly struct EveryPeer : IPeerInterest
{
    public bool Includes(Peer peer) => true;
}
