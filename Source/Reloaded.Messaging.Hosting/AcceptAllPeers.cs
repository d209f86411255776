namespace Reloaded.Messaging.Hosting;

/// <summary>No choice at all: compiled away.</summary>
internal readonly struct AcceptAllPeers : IPeerInterest
{
    public bool Includes(Peer peer) => true;
}
