namespace Reloaded.Messaging.Hosting;

/// <summary>Accepts every peer. The JIT compiler removes the call.</summary>
internal readonly struct AcceptAllPeers : IPeerInterest
{
    public bool Includes(Peer peer) => true;
}
