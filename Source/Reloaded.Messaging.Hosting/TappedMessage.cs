using Reloaded.Messaging.Wire;

namespace Reloaded.Messaging.Hosting;

/// <summary>Observes a message that a host sent or received.</summary>
/// <param name="message">The message. It is valid during the call. Copy the payload to keep it.</param>
/// <remarks>
/// Called on the thread that sends or receives, and by several threads at once. Return soon, and do not send messages: each of them would be observed too.
/// An exception is reported by <see cref="MessageHost.HandlerFailed"/>. The connection continues.
/// </remarks>
public delegate void MessageTap(in TappedMessage message);

/// <summary>A message that a <see cref="MessageTap"/> observes.</summary>
public readonly ref struct TappedMessage
{
    internal TappedMessage(MessageDirection direction, Peer peer, in ReceivedMessage message, bool isHidden, long timestamp)
    {
        (Direction, Peer, Header, IsHidden, Timestamp) = (direction, peer, message.Header, isHidden, timestamp);
        Length = message.Bytes.Length;
        Payload = isHidden ? default : message.Payload;
    }

    /// <summary>Whether the host sent or received the message.</summary>
    public MessageDirection Direction { get; }

    /// <summary>The receiver or the sender of the message.</summary>
    public Peer Peer { get; }

    /// <summary>The header.</summary>
    public MessageHeader Header { get; }

    /// <summary>The payload as it is sent, compressed if the header says so. Empty if <see cref="IsHidden"/>.</summary>
    public ReadOnlySpan<byte> Payload { get; }

    /// <summary>Whether the payload is not shown, because the contract of the type is secret.</summary>
    public bool IsHidden { get; }

    /// <summary>The size of the header and the payload in bytes, without the length prefix.</summary>
    public int Length { get; }

    /// <summary>The time in ticks of <see cref="System.Diagnostics.Stopwatch"/>. The time of a request is before the time of its reply, also if another thread observes the reply first.</summary>
    public long Timestamp { get; }
}

/// <summary>The direction of a message, seen from the host.</summary>
public enum MessageDirection
{
    /// <summary>The host received the message.</summary>
    Received = 0,

    /// <summary>The host sent the message: it is queued for the peer.</summary>
    Sent,
}
