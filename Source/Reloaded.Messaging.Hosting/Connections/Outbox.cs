using System;
using System.Runtime.CompilerServices;
using System.Threading;
using System.Threading.Tasks;

namespace Reloaded.Messaging.Hosting;

/// <summary>What is to be sent to one peer: appended under a short lock, written outside of it, in order.</summary>
/// <remarks>
/// One writer at a time takes all that waits and writes it in one go, while others append behind it. The more there is to send, the more
/// goes out with each write: that, and not faster writes, is what makes a socket carry millions of messages. A flush is queued to the thread
/// pool behind what waits there already, so that whatever that has to say goes along.
/// </remarks>
internal sealed class Outbox : IThreadPoolWorkItem
{
    /// <summary>So much may be held. More is written all the same, so that the answers to one large read don't fill the outbox of a peer that reads.</summary>
    private const int MaxHeld = 64 * 1024;

    private readonly ShortLock _gate = new();
    private readonly TransportChannel _channel;
    private readonly int _maxPending;
    private readonly Action<Exception> _failed;
    private readonly CancellationToken _stopping;
    private readonly PendingTotal? _total;
    private readonly FrameQueue _queue;
    private AsyncGate _room;
    private bool _isFlushing;
    private bool _isSealed;
    private bool _isClosed;
    private int _holds;
    private long _writes;

    /// <param name="channel">Where to.</param>
    /// <param name="maxPending">Past so many bytes the outbox is full.</param>
    /// <param name="failed">Called once, when the channel can't go on; not after it was closed.</param>
    /// <param name="stopping">Ends a write that waits.</param>
    /// <param name="prefix">What stands in front of each message.</param>
    /// <param name="total">The memory of all outboxes; <c>null</c> for no limit.</param>
    public Outbox(
        TransportChannel channel,
        int maxPending,
        Action<Exception> failed,
        CancellationToken stopping,
        LengthPrefix prefix = LengthPrefix.UVarint,
        PendingTotal? total = null)
    {
        _total = total;
        _channel = channel;
        _maxPending = maxPending;
        _failed = failed;
        _stopping = stopping;
        _queue = new FrameQueue(prefix, total);
    }

    /// <summary>Frames that were appended and not written when it was closed. Of a write under way some may arrive: nobody here can know.</summary>
    public int LostFrames { get; private set; }

    /// <summary>The bytes of this outbox that count towards the total.</summary>
    public int ChargedBytes => _queue.Charged;

    /// <summary>Grows as the remote side takes what is written. <c>null</c> while nothing is being written, or if the channel cannot tell.</summary>
    public long? WriteProgress
    {
        get
        {
            using (_gate.Enter())
                return _isFlushing && !_isClosed && _channel.SentBytes is { } sent ? _writes + sent : null;
        }
    }

    /// <summary>Appends a message.</summary>
    /// <param name="message">Header and payload; copied.</param>
    /// <param name="isSecret">Whether to zero it behind it.</param>
    /// <param name="maxPending">The bytes that may wait. An empty outbox takes a message of any size, as far as the total allows it.</param>
    /// <param name="lacksTotal">Whether the message was refused because all outboxes together hold too much.</param>
    public SendStatus TryAppend(ReadOnlySpan<byte> message, bool isSecret, int maxPending, out bool lacksTotal)
    {
        lacksTotal = false;
        using (_gate.Enter())
        {
            if (_isClosed || _isSealed)
                return SendStatus.Closed;
            if (Exceeds(message.Length, maxPending))
                return SendStatus.Full;
            lacksTotal = !_queue.Pending.TryAppend(message, isSecret);
            if (lacksTotal)
                return SendStatus.Full;
            if (_isFlushing || (_holds > 0 && _queue.Pending.Length < MaxHeld))
                return SendStatus.Sent;
            _isFlushing = true;
        }

        ThreadPool.UnsafeQueueUserWorkItem(this, preferLocal: false);
        return SendStatus.Sent;
    }

    /// <summary>Appends a control message, whatever the limits are: without it the connection could not go on.</summary>
    /// <param name="message">Header and payload; copied.</param>
    /// <param name="appended">Called before the message can be written or another one can be appended.</param>
    /// <param name="delivery">How the message has to be delivered.</param>
    public void TryAppendControl(ReadOnlySpan<byte> message, Action? appended = null, Delivery delivery = Delivery.Unreliable)
    {
        using (_gate.Enter())
        {
            if (_isClosed || _isSealed)
                return;
            _queue.Pending.Append(message, isSecret: false, delivery);
            appended?.Invoke();
            if (_isFlushing || _holds > 0)
                return;
            _isFlushing = true;
        }

        ThreadPool.UnsafeQueueUserWorkItem(this, preferLocal: false);
    }

    /// <summary>Appends a message, within the outbox's own limit.</summary>
    public SendStatus TryAppend(ReadOnlySpan<byte> message, bool isSecret) => TryAppend(message, isSecret, _maxPending, out _);

    /// <summary>Keeps what is appended from being written until the <see cref="Uncork"/> that belongs to it, if that is not too much.</summary>
    public void Cork()
    {
        using (_gate.Enter())
            _holds++;
    }

    /// <summary>Ends a <see cref="Cork"/>. The last call writes the messages that wait, on this thread as far as the channel takes them at once.</summary>
    public void Uncork()
    {
        using (_gate.Enter())
        {
            if (--_holds > 0 || _isFlushing || _isClosed || _queue.Pending.Length == 0)
                return;
            _isFlushing = true;
        }

        Execute();
    }

    /// <summary>Completes at once if the outbox would take a message now, or is closed; otherwise, when it may take the message.</summary>
    /// <param name="messageLength">The size of the message, in bytes.</param>
    public Task WaitForRoomAsync(int messageLength)
    {
        using (_gate.Enter())
        {
            if (_isClosed || _isSealed)
                return Task.CompletedTask;
            var isFull = Exceeds(messageLength, _maxPending);
            var charge = isFull ? 0 : _queue.Pending.ChargeFor(messageLength);
            var total = charge > 0 ? _total!.WaitForRoomAsync(charge) : Task.CompletedTask;
            if (!isFull && total.IsCompleted)
                return total;
            var room = _room.WaitAsync();
            return isFull ? room : Task.WhenAny(total, room); // this outbox's next write makes room as well
        }
    }

    /// <summary>Writes the messages that wait, corked or not. Completes when every message appended before this call is written, or when the outbox is closed.</summary>
    public Task FlushAsync()
    {
        Task written;
        using (_gate.Enter())
        {
            written = _isClosed ? Task.CompletedTask : _queue.WaitWrittenAsync();
        }

        FlushHeld();
        return written;
    }

    /// <summary>Writes corked messages, for the case that the caller of <see cref="Cork"/> takes long, for example a handler that never returns.</summary>
    public void FlushHeld()
    {
        using (_gate.Enter())
        {
            if (_isFlushing || _isClosed || _queue.Pending.Length == 0)
                return;
            _isFlushing = true;
        }

        ThreadPool.UnsafeQueueUserWorkItem(this, preferLocal: false);
    }

    /// <summary>Appends a last message and accepts no further message. Messages that wait are still written.</summary>
    /// <param name="last">The message; empty for none.</param>
    /// <returns>False if it is sealed or closed already.</returns>
    public bool TrySeal(ReadOnlySpan<byte> last)
    {
        using (_gate.Enter())
        {
            if (_isClosed || _isSealed)
                return false;
            if (!last.IsEmpty)
                _queue.Pending.Append(last, isSecret: false, Delivery.Reliable);
            _isSealed = true;
            _room.Open();
            return true;
        }
    }

    /// <summary>Accepts no further message and counts the messages that were not written. May be called more than once.</summary>
    public void Close()
    {
        using (_gate.Enter())
        {
            if (!_isClosed)
                CloseInside();
        }
    }

    /// <summary>A flush, on the thread pool.</summary>
    public void Execute() => _ = FlushAllAsync();

    private bool Exceeds(int messageLength, int maxPending) => _queue.Pending.Length > 0 && _queue.Pending.Length + messageLength > maxPending;

    private async Task FlushAllAsync()
    {
        while (TryTake(out var frames))
        {
            try
            {
                if (!_channel.UsesDelivery)
                    await _channel.SendAsync(frames, Delivery.Reliable, _stopping).ConfigureAwait(false);
                else
                    await SendEachAsync(frames).ConfigureAwait(false);
            }
            catch (Exception e)
            {
                Fail(e); // no other code observes this task: without this call, an exception would end all writes unseen
                return;
            }
        }
    }

    /// <summary>Sends frames in parts that have one delivery each.</summary>
    [AsyncMethodBuilder(typeof(PoolingAsyncValueTaskMethodBuilder))]
    private async ValueTask SendEachAsync(ReadOnlyMemory<byte> frames)
    {
        while (!frames.IsEmpty)
            await _channel.SendAsync(_queue.TakeAlike(ref frames, out var delivery), delivery, _stopping).ConfigureAwait(false);
    }

    private bool TryTake(out ReadOnlyMemory<byte> frames)
    {
        using (_gate.Enter())
        {
            if (_isClosed)
            {
                _isFlushing = false;
                _queue.FreeWriting();
                frames = default;
                return false;
            }

            _isFlushing = _queue.TryTake(out frames);
            if (!_isFlushing)
                return false;
            _room.Open();
            _writes++;
            return true;
        }
    }

    private void Fail(Exception reason)
    {
        using (_gate.Enter())
        {
            _isFlushing = false;
            if (_isClosed)
            {
                _queue.FreeWriting();
                return;
            }

            CloseInside(); // before anyone can append again and begin another write
        }

        _failed(reason);
    }

    private void CloseInside()
    {
        _isClosed = true;
        LostFrames = _queue.Close(_isFlushing);
        _room.Open();
    }
}
