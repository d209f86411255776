using System;
using System.IO;

namespace Reloaded.Messaging;

/// <summary>Thrown when a connection cannot be made, or when a channel cannot go on: the other side is gone, or this side aborted the channel.</summary>
public sealed class TransportClosedException : IOException
{
    /// <summary>Creates the exception for a connection that was lost.</summary>
    /// <param name="message">What happened.</param>
    /// <param name="inner">The cause, or <see langword="null"/>.</param>
    public TransportClosedException(string message, Exception? inner = null)
        : base(message, inner)
    {
    }

    /// <summary>Creates the exception with a reason.</summary>
    /// <param name="reason">Why.</param>
    /// <param name="message">What happened.</param>
    /// <param name="inner">The cause, or <see langword="null"/>.</param>
    public TransportClosedException(TransportCloseReason reason, string message, Exception? inner = null)
        : base(message, inner) => Reason = reason;

    /// <summary>Why (default: <see cref="TransportCloseReason.ConnectionLost"/>).</summary>
    public TransportCloseReason Reason { get; }
}
