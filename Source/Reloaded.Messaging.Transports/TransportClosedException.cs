using System.IO;

namespace Reloaded.Messaging;

/// <summary>Thrown when a connection cannot be opened, or when a channel ended: the other side has disconnected, or this side aborted the channel.</summary>
public sealed class TransportClosedException : IOException
{
    /// <summary>Creates the exception for a connection that was lost.</summary>
    /// <param name="message">The message.</param>
    /// <param name="inner">The cause, or <see langword="null"/>.</param>
    public TransportClosedException(string message, Exception? inner = null)
        : base(message, inner)
    {
    }

    /// <summary>Creates the exception with a reason.</summary>
    /// <param name="reason">The reason.</param>
    /// <param name="message">The message.</param>
    /// <param name="inner">The cause, or <see langword="null"/>.</param>
    public TransportClosedException(TransportCloseReason reason, string message, Exception? inner = null)
        : base(message, inner) => Reason = reason;

    /// <summary>Creates the exception for a channel that this side has closed.</summary>
    internal static TransportClosedException Here(string remoteName, Exception? inner = null) =>
        new($"The channel to {remoteName} was closed on this side. Connect again.", inner);

    /// <summary>The address of the section of the documentation about this exception, unless the program set another one.</summary>
    public override string? HelpLink => base.HelpLink ?? ErrorPage.LinkOf(this);

    /// <summary>The reason (default: <see cref="TransportCloseReason.ConnectionLost"/>).</summary>
    public TransportCloseReason Reason { get; }
}
