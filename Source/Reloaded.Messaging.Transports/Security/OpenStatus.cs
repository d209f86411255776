using System.Diagnostics;

namespace Reloaded.Messaging;

/// <summary>The result of decrypting a packet.</summary>
internal enum OpenStatus
{
    /// <summary>The other side sent the packet.</summary>
    Ok,

    /// <summary>The packet was already received.</summary>
    Replayed,

    /// <summary>The packet is older than the replay window, so a replay cannot be detected.</summary>
    TooOld,

    /// <summary>The other side did not send these bytes: the packet was altered, truncated or forged, or its key is not available.</summary>
    Forged,

    /// <summary>The keys of the connection were disposed.</summary>
    Closed,
}
