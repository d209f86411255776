using System;
using System.IO;

namespace Reloaded.Messaging.Hosting;

/// <summary>A channel can't go on: the other end is gone, or this one was aborted.</summary>
public sealed class TransportClosedException : IOException
{
    /// <summary>Says why.</summary>
    public TransportClosedException(string message, Exception? inner = null)
        : base(message, inner)
    {
    }

    internal TransportClosedException(DisconnectReason reason, string message, Exception? inner = null)
        : base(message, inner) => Reason = reason;

    /// <summary>What the peer is gone for: <see cref="DisconnectReason.ConnectionLost"/> unless the transport knows better.</summary>
    public DisconnectReason Reason { get; internal init; } = DisconnectReason.ConnectionLost;
}
