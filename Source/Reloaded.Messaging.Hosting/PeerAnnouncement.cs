namespace Reloaded.Messaging.Hosting;

/// <summary>The events that were raised for a peer. The value only increases, so each event is raised at most once and in order.</summary>
/// <remarks>Integers, because <c>Interlocked</c> on netstandard2.1 does not exchange enums.</remarks>
internal static class PeerAnnouncement
{
    public const int None = 0;
    public const int Begun = 1;
    public const int Made = 2;
    public const int Ended = 3;
}
