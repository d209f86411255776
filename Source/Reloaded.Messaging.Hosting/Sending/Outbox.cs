namespace Reloaded.Messaging.Hosting;

/// <summary>The messages to be sent to one peer: a <see cref="StreamOutbox"/>, or a <see cref="DatagramOutbox"/> over a channel that has the queues itself.</summary>
/// <remarks>A flush is queued to the thread pool after the work that is already queued there, so that messages of that work are sent together.</remarks>
/// <param name="maxPending">The maximum number of pending bytes.</param>
/// <param name="sent">Observes the messages that are sent to a peer; <c>default</c> for no observer.</param>
internal abstract class Outbox(int maxPending, (SentObserver Observer, Peer Peer) sent) : IThreadPoolWorkItem
{
    /// <summary>The maximum number of corked bytes. At this number they are written, so that the replies to one large read do not fill the outbox of a peer that reads.</summary>
    protected const int MaxCorked = 64 * 1024;

    /// <summary>The messages that an outbox accepts. A later stage is never left.</summary>
    protected enum Stage
    {
        /// <summary>Messages are accepted.</summary>
        Open,

        /// <summary>No message is accepted. The pending messages are written.</summary>
        Sealed,

        /// <summary>No message is accepted, and nothing more is written. A running write may not have ended.</summary>
        Closed,
    }

    /// <summary>Whether the remote side reads sequenced events.</summary>
    public bool IsSequencedReadable;

    /// <summary>The next outbox of a chain. Only the thread that has to flush this outbox uses the property.</summary>
    public Outbox? NextToFlush;

    /// <summary>The maximum number of pending bytes, of each order of a channel with several orders.</summary>
    public readonly int MaxPending = maxPending;

    /// <summary>Finds the delivery of each message; <c>null</c> if the channel delivers all messages in the same way.</summary>
    public virtual EventDeliveries? Deliveries => null;

    /// <summary>Whether the outbox accepts and writes nothing more.</summary>
    public abstract bool IsClosed { get; }

    /// <summary>The bytes that wait, and the bytes that are being written.</summary>
    public abstract int PendingBytes { get; }

    /// <summary>The bytes of this outbox that count towards the total.</summary>
    public abstract int ChargedBytes { get; }

    /// <summary>The number of bytes that the channel has accepted.</summary>
    public abstract long SentBytes { get; }

    /// <summary>A number that grows as the remote side accepts written bytes. <c>null</c> if no write is running, or if the channel does not report progress.</summary>
    public abstract long? WriteProgress { get; }

    /// <summary>The number of frames that were appended and not written when the outbox was closed. Control messages do not count. Frames of a write that was running may have arrived; this side cannot know.</summary>
    public abstract int LostFrames { get; }

    /// <summary>Whether a <see cref="Cork"/> has not ended.</summary>
    public abstract bool IsCorked { get; }

    /// <summary>Appends a message, and flushes the outbox on the thread pool.</summary>
    /// <inheritdoc cref="Append(ref OutgoingFrame, ref FlushChain)"/>
    public SendStatus Append(ref OutgoingFrame frame)
    {
        var chain = default(FlushChain);
        var status = Append(ref frame, ref chain);
        if (!chain.IsEmpty)
            chain.Start();
        return status;
    }

    /// <summary>Appends a message. The taps observe the message after it was appended, without a lock. The caller starts the chain.</summary>
    /// <param name="frame">The message. The method sets <see cref="OutgoingFrame.LacksTotal"/>.</param>
    /// <param name="chain">Flushes the outbox.</param>
    /// <returns><see cref="SendStatus.Sent"/>, <see cref="SendStatus.Full"/> or <see cref="SendStatus.Closed"/>. An empty outbox accepts a message of any size, as far as the total allows it.</returns>
    public SendStatus Append(ref OutgoingFrame frame, ref FlushChain chain)
    {
        frame.ObservedAt = sent.Observer is { IsActive: true } observer ? observer.Begin(sent.Peer) : 0;
        var status = TryAppend(ref frame, out var mustFlush);
        if (mustFlush && frame.ObservedAt == 0)
            chain.Add(this);
        else if (mustFlush)
            ThreadPool.UnsafeQueueUserWorkItem(this, preferLocal: false); // before the taps, which may wait
        if (frame.ObservedAt != 0 && status == SendStatus.Sent)
            Observe(in frame);
        return status;
    }

    /// <summary>Completes at once if the outbox would accept a message now or is closed; otherwise, completes when it may accept the message.</summary>
    /// <param name="messageLength">The size of the message, in bytes.</param>
    /// <param name="delivery">The delivery of the message.</param>
    public abstract Task WaitForRoomAsync(int messageLength, Delivery delivery);

    /// <summary>Delays the writing of messages until the matching <see cref="Uncork"/>, or until the maximum number of corked bytes is reached.</summary>
    public abstract void Cork();

    /// <summary>Ends a <see cref="Cork"/>. The last call writes the pending messages on this thread, as far as the channel accepts them at once.</summary>
    public abstract void Uncork();

    /// <summary>Writes the pending messages, including corked messages. Completes when every message appended before this call is written, or when the outbox is closed.</summary>
    public abstract Task FlushAsync();

    /// <summary>Writes corked messages. Used when the caller of <see cref="Cork"/> takes long, for example because a handler does not return.</summary>
    public void FlushCorked()
    {
        if (IsCorked)
            FlushPending();
    }

    /// <summary>Appends a last message. Further messages are refused. Pending messages are still written.</summary>
    /// <param name="last">The message; empty for no message.</param>
    /// <returns><c>false</c> if the outbox is already sealed or closed; otherwise, <c>true</c>.</returns>
    public bool TrySeal(ReadOnlySpan<byte> last)
    {
        var frame = new OutgoingFrame(last) { ObservedAt = !last.IsEmpty && sent.Observer is { IsActive: true } observer ? observer.Begin(sent.Peer) : 0 };
        if (!TryAppendLast(last))
            return false;
        NoteSent(in frame);
        return true;
    }

    /// <summary>Refuses further messages and counts the messages that were not written. May be called more than once.</summary>
    public abstract void Close();

    /// <summary>Flushes this outbox and the rest of its chain on the thread pool.</summary>
    public void Execute()
    {
        if (FlushChain.Cut(this) is { } rest)
            ThreadPool.UnsafeQueueUserWorkItem(rest, preferLocal: false); // another thread can flush it meanwhile
        for (var outbox = this; outbox is not null;)
        {
            var next = outbox.NextToFlush;
            outbox.NextToFlush = null; // before the flush, which may end and be followed by one of another chain
            outbox.Flush();
            outbox = next;
        }
    }

    /// <summary>Appends a message.</summary>
    /// <param name="frame">The message.</param>
    /// <param name="mustFlush">Whether the caller has to flush this outbox.</param>
    protected abstract SendStatus TryAppend(ref OutgoingFrame frame, out bool mustFlush);

    /// <inheritdoc cref="TrySeal"/>
    protected abstract bool TryAppendLast(ReadOnlySpan<byte> last);

    /// <summary>Writes the pending messages on this thread. Called by the thread that was told to flush.</summary>
    protected abstract void Flush();

    /// <summary>Writes the pending messages on the thread pool, unless a thread already writes them.</summary>
    protected abstract void FlushPending();

    private void Observe(in OutgoingFrame frame)
    {
        if (frame.IsDeferred)
            NoteSentLater(frame.Message.ToArray(), frame.ObservedAt);
        else
            NoteSent(in frame);
    }

    /// <summary>Calls the taps for a message that was sent. Call it without a lock.</summary>
    private void NoteSent(in OutgoingFrame frame)
    {
        if (frame.ObservedAt == 0)
            return;
        if (!frame.Before.IsEmpty)
            sent.Observer.NoteSent(sent.Peer, frame.Before, isSecret: false, frame.ObservedAt);
        sent.Observer.NoteSent(sent.Peer, frame.Message, frame.IsSecret, frame.ObservedAt);
    }

    /// <remarks>Separate from its caller, which would allocate the closure for each message.</remarks>
    private void NoteSentLater(byte[] message, long time) =>
        ThreadPool.UnsafeQueueUserWorkItem(_ => sent.Observer.NoteSent(sent.Peer, message, isSecret: false, time), null);
}
