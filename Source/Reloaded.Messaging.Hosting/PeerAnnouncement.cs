namespace Reloaded.Messaging.Hosting;

/// <summary>How far a host's listeners know of a peer. It only ever goes on, so that each hears of it first, and of its end once.</summary>
/// <remarks>Numbers, since the older target exchanges no enums.</remarks>
internal static class PeerAnnouncement
{
    public const int None = 0;
    public const int Begun = 1;
    public const int Made = 2;
    public const int Ended = 3;
}
