using System;
using System.IO;

namespace Reloaded.Messaging.Hosting.Channels;

/// <summary>A channel can't go on: the other end is gone, or this one was aborted.</summary>
public sealed class ChannelClosedException : IOException
{
    /// <summary>Says why.</summary>
    public ChannelClosedException(string message, Exception? inner = null)
        : base(message, inner)
    {
    }

    /// <summary>What a peer's end by it counts as.</summary>
    internal DisconnectReason Reason { get; init; } = DisconnectReason.ConnectionLost;
}
