using Reloaded.Messaging.Wire;

namespace Reloaded.Messaging;

/// <summary>A channel that delivers frames differently depending on their <see cref="Delivery"/>: it may lose frames, and frames may overtake others.</summary>
/// <remarks>
/// The channel has the queues of its messages. <see cref="TryQueue"/> and <see cref="Flush"/> may be called by several threads at once. A call sends nothing
/// and waits for nothing, except where it says so.
/// </remarks>
public abstract class DatagramChannel : TransportChannel
{
    private const int MaxUnsent = 1 << 20;

    /// <summary>The largest frame that the channel carries with every delivery, in bytes, without the length prefix (default: <see cref="int.MaxValue"/>). The host reads it once.</summary>
    public virtual int MaxMessageSize => int.MaxValue;

    /// <summary>The largest frame with <see cref="DeliveryMode.ReliableOrdered"/> or <see cref="DeliveryMode.ReliableByType"/> that the channel carries (default: <see cref="MaxMessageSize"/>). The host reads it once.</summary>
    public virtual int MaxReliableMessageSize => MaxMessageSize;

    /// <summary>Advice appended to the exception when a message exceeds <see cref="MaxMessageSize"/>, in whole sentences.</summary>
    public virtual string MaxMessageSizeAdvice => "Send less at a time.";

    /// <summary>The state of the network path; <see langword="null"/> if the channel does not measure it (the default).</summary>
    public virtual PathStatistics? Path => null;

    /// <summary>The number of received datagrams that were dropped because a newer datagram of their stream had arrived: <see cref="DeliveryMode.Sequenced"/> (default: 0).</summary>
    public virtual long OutdatedDatagrams => 0;

    /// <summary>The number of bytes that wait to be sent, of all orders.</summary>
    public abstract int PendingBytes { get; }

    /// <summary>The channel calls it, on any thread and without a lock, after bytes have left its queues, and after its end. The host sets it before it queues frames.</summary>
    public Action? BytesLeft { get; set; }

    /// <summary>Queues a message, which is copied. Sends nothing.</summary>
    /// <param name="message">The message, without its length.</param>
    /// <param name="delivery">The delivery. The messages of one order (all of <see cref="DeliveryMode.ReliableOrdered"/>, or a <see cref="Delivery.Order"/> of <see cref="DeliveryMode.ReliableByType"/>) have one queue.</param>
    /// <param name="maxPending">The maximum number of bytes that wait in the queue of the order. An empty queue accepts a message of any size.</param>
    /// <param name="before">A message directly before it; empty for none. Either both are queued, or none.</param>
    /// <returns><see langword="false"/> if the queue of the order is full, or after <see cref="Seal"/>.</returns>
    /// <exception cref="TransportClosedException">Thrown when the other side has disconnected, or when this side aborted the channel.</exception>
    public abstract bool TryQueue(ReadOnlySpan<byte> message, Delivery delivery, int maxPending, ReadOnlySpan<byte> before = default);

    /// <summary>Whether <see cref="TryQueue"/> would accept a message now; <see langword="true"/> after the end of the channel.</summary>
    /// <param name="size">The size of the message, in bytes.</param>
    /// <param name="delivery">The delivery of the message.</param>
    /// <param name="maxPending">The maximum number of bytes that wait in the queue of the order.</param>
    public abstract bool HasRoom(int size, Delivery delivery, int maxPending);

    /// <summary>Sends the queued messages on this thread, as far as the other side and the path accept them. The channel sends the others as soon as they do.</summary>
    public abstract void Flush();

    /// <summary>Sends as <see cref="Flush"/>. Completes when every message that was queued before this call was sent, or when the channel has ended. After <see cref="Seal"/>, the last message must have arrived.</summary>
    public abstract Task FlushAsync();

    /// <summary>Refuses further messages. Sends a last message after all others have arrived.</summary>
    /// <param name="last">The message, without its length; empty for no message.</param>
    public abstract void Seal(ReadOnlySpan<byte> last);

    /// <summary>Queues frames with <see cref="Delivery.ReliableOrdered"/>, and sends them. Completes when the channel has queued all of them.</summary>
    /// <remarks>A host with <see cref="TransportContext.Protection"/> sends an encrypted stream by this method alone. Its bytes are not frames, so a channel overrides the method unless its transport <see cref="Transport.AppliesProtection"/>.</remarks>
    /// <inheritdoc/>
    public override async ValueTask SendAsync(ReadOnlyMemory<byte> frames, CancellationToken cancellationToken)
    {
        while (!frames.IsEmpty)
        {
            if (TryQueueFirst(frames.Span, out var size))
                frames = frames.Slice(size);
            else
                await FlushAsync().WaitAsync(cancellationToken).ConfigureAwait(false);
        }

        Flush();
    }

    private bool TryQueueFirst(ReadOnlySpan<byte> frames, out int size)
    {
        var rest = frames;
        if (Frame.TryRead(ref rest, int.MaxValue, out var message) != FrameStatus.Ok)
            throw new ArgumentException("The bytes to send are not whole frames. Pass complete frames with their length prefixes.", nameof(frames));
        size = frames.Length - rest.Length;
        return TryQueue(message, Delivery.ReliableOrdered, MaxUnsent);
    }
}
