namespace Reloaded.Messaging.Hosting.Peers;

/// <summary>How far a host's listeners know of a peer. It only ever goes on, so that each hears of it first, and of its end once.</summary>
internal enum PeerAnnouncement
{
    None = 0,
    Begun,
    Made,
    Ended,
}
