namespace Reloaded.Messaging.Tool;

/// <summary>The orders of the peers in <c>watch</c>. The highest value is first, except for names and ids. Peers that inspect are last.</summary>
internal enum PeerOrder
{
    Messages,
    Bytes,
    RoundTrip,
    Pending,
    Loss,
    Name,
    Id,
}
