namespace Reloaded.Messaging.Hosting;

/// <summary>The ids of messages that the library itself sends as events, requests and replies. docs/wire-format.md reserves the ids from 0xFFFF0000 on.</summary>
internal static class LibraryTypes
{
    /// <summary>The request and the reply of <see cref="Peer.InspectAsync"/>, and the two messages in the reply.</summary>
    public const uint InspectHost = 0xFFFF0010;
    public const uint HostInspection = 0xFFFF0011;
    public const uint InspectedPeer = 0xFFFF0012;
    public const uint InspectedType = 0xFFFF0013;
}
