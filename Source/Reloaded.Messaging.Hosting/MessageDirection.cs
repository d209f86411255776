namespace Reloaded.Messaging.Hosting;

/// <summary>The direction of a message, seen from the host.</summary>
public enum MessageDirection
{
    /// <summary>The host received the message.</summary>
    Received = 0,

    /// <summary>The host sent the message: it is queued for the peer.</summary>
    Sent,
}
