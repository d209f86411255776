namespace Reloaded.Messaging.Hosting;

/// <summary>What became of a message that was to be sent.</summary>
/// <remarks>Nothing here says that the other side has it: only the reply to a request does.</remarks>
public enum SendStatus
{
    /// <summary>It waits to be written, behind what was sent before it.</summary>
    Sent = 0,

    /// <summary>The peer doesn't read as fast as it is sent to, and <see cref="HostLimits.MaxPendingBytes"/> are waiting. Nothing was taken: drop it, or wait by <c>SendAsync</c>.</summary>
    Full,

    /// <summary>The peer is gone, or the handshake with it is not over. Nothing was taken.</summary>
    Closed,
}
