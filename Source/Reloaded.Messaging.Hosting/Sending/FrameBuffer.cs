using System;
using System.Buffers;
using System.Collections.Generic;
using System.Threading.Tasks;
using Reloaded.Messaging.Wire;

namespace Reloaded.Messaging.Hosting;

/// <summary>A sequence of frames in one array, which is rented while it is large.</summary>
/// <param name="total">Counts the memory of a large array; <c>null</c> for no limit.</param>
internal sealed class FrameBuffer(PendingTotal? total = null)
{
    private const int InitialCapacity = 256;

    /// <summary>The maximum size of an array that an outbox without pending frames keeps, in bytes.</summary>
    private const int MaxKept = 64 * 1024;

    private byte[] _array = ArrayPool<byte>.Shared.Rent(InitialCapacity);
    private bool _holdsSecret;
    private readonly List<FrameRun> _runs = []; // empty while all frames have the default delivery
    private int _takenRuns;
    private AsyncGate _written;

    public int Length { get; private set; }

    public int Frames { get; private set; }

    /// <summary>The bytes of the first message and of the message before it, since an empty buffer accepts a message of any size; 0 if the first frame is a control message.</summary>
    public int FirstLength { get; private set; }

    /// <summary>The number of frames without those that were written before the last call of <see cref="TakeAlike"/>.</summary>
    public int UnwrittenFrames => Frames - (_takenRuns > 1 ? _runs[_takenRuns - 1].FirstFrame : 0);

    public ReadOnlyMemory<byte> Memory => new(_array, 0, Length);

    /// <summary>The bytes of a large array, which count towards the total. A smaller array does not count.</summary>
    public int Charged { get; private set; }

    /// <summary>Copies a message into a separate buffer.</summary>
    /// <returns>The buffer, or <c>null</c> if the total does not allow it.</returns>
    public static FrameBuffer? TryCopy(in OutgoingFrame frame, Delivery delivery, PendingTotal? total)
    {
        var copy = new FrameBuffer(total);
        if (copy.TryAppend(frame.Before, frame.Message, frame.IsSecret, delivery))
            return copy;
        copy.Free();
        return null;
    }

    /// <summary>Appends a message with its length prefix, and a message that belongs before it.</summary>
    /// <param name="before">The message before it; empty for none. Either both messages are appended, or none.</param>
    /// <param name="message">The message.</param>
    /// <param name="isSecret">Whether to zero the bytes of the message.</param>
    /// <param name="delivery">The delivery of both messages.</param>
    /// <returns><c>false</c> if the array has no room and the total does not allow a larger one.</returns>
    public bool TryAppend(ReadOnlySpan<byte> before, ReadOnlySpan<byte> message, bool isSecret, Delivery delivery = default)
    {
        var size = before.IsEmpty ? message.Length : before.Length + UVarint.MaxSize + message.Length;
        if (Length + UVarint.MaxSize + size > _array.Length && !TryCharge(size))
            return false;
        var isFirst = Length == 0;
        if (!before.IsEmpty)
            Append(before, isSecret: false, delivery, isControl: true);
        Append(message, isSecret, delivery);
        if (isFirst)
            FirstLength = Length;
        return true;
    }

    /// <summary>The bytes that a message would add to <see cref="Charged"/>.</summary>
    public int ChargeFor(int messageLength)
    {
        var needed = Length + UVarint.MaxSize + messageLength;
        return total is null || needed <= _array.Length ? 0 : ChargeForSize(SizeFor(needed));
    }

    /// <summary>Appends a message with its length prefix, regardless of the total.</summary>
    public void Append(ReadOnlySpan<byte> message, bool isSecret, Delivery delivery = default, bool isControl = false)
    {
        if (delivery != (_runs.Count == 0 ? default : _runs[^1].Delivery))
        {
            if (_runs.Count == 0 && Length > 0)
                _runs.Add(default);
            _runs.Add(new FrameRun(Length, Frames, delivery));
        }

        _holdsSecret |= isSecret;
        var needed = Length + UVarint.MaxSize + message.Length;
        if (needed > _array.Length)
            Grow(needed);
        Length += UVarint.Write(_array.AsSpan(Length), (uint)message.Length);
        message.CopyTo(_array.AsSpan(Length));
        Length += message.Length;
        if (!isControl)
            Frames++;
    }

    /// <summary>Whether the frames need a large array.</summary>
    public bool IsLarge => Length > MaxKept;

    /// <summary>Completes when the frames are written or released.</summary>
    public Task WaitWrittenAsync() => _written.WaitAsync();

    /// <summary>Removes all frames, which are written.</summary>
    /// <param name="keepsLarge">Whether to keep a large array, because as many frames are expected again. Otherwise, it is returned to its pool.</param>
    public void Clear(bool keepsLarge)
    {
        if (_array.Length > MaxKept && !keepsLarge)
            Replace(InitialCapacity);
        else if (_holdsSecret)
            _array.AsSpan(0, Length).Clear();
        _holdsSecret = false;
        _runs.Clear();
        _takenRuns = 0;
        Length = 0;
        FirstLength = 0;
        Frames = 0;
        _written.Open();
    }

    /// <summary>Takes the next frames that have the same delivery.</summary>
    /// <param name="rest">The part of <see cref="Memory"/> that was not taken before the call. After the call, the part that remains.</param>
    /// <param name="delivery">The delivery of the frames.</param>
    /// <returns>The frames.</returns>
    public ReadOnlyMemory<byte> TakeAlike(ref ReadOnlyMemory<byte> rest, out Delivery delivery)
    {
        delivery = _runs.Count == 0 ? default : _runs[_takenRuns].Delivery;
        var start = Length - rest.Length;
        var end = ++_takenRuns < _runs.Count ? _runs[_takenRuns].Start : Length;
        var alike = rest.Slice(0, end - start);
        rest = rest.Slice(alike.Length);
        return alike;
    }

    /// <summary>Returns the array. The buffer must not be used afterwards.</summary>
    public void Free()
    {
        Uncharge();
        ArrayPool<byte>.Shared.Return(_array, _holdsSecret);
        _array = [];
        Length = 0;
        _written.Open();
    }

    /// <summary>Ends the waits, and returns the charge to the total before the array is returned: the peer has disconnected, and its last write ends soon.</summary>
    public void GiveUp()
    {
        Uncharge();
        _written.Open();
    }

    private void Uncharge()
    {
        if (Charged == 0)
            return;
        total!.Free(Charged);
        Charged = 0;
    }

    private bool TryCharge(int messageLength)
    {
        var charge = ChargeFor(messageLength);
        if (charge == 0)
            return true;
        if (!total!.TryTake(charge))
            return false;
        Charged += charge;
        return true;
    }

    private void Grow(int needed)
    {
        var size = SizeFor(needed);
        var charge = ChargeForSize(size);
        if (total is not null && charge > 0)
        {
            total.Take(charge);
            Charged += charge;
        }

        var old = _array.AsSpan(0, Length);
        var larger = ArrayPool<byte>.Shared.Rent(size);
        old.CopyTo(larger);
        ArrayPool<byte>.Shared.Return(_array, _holdsSecret);
        _array = larger;
    }

    private int SizeFor(int needed)
    {
        var size = Math.Max(_array.Length, InitialCapacity);
        while (size < needed && size < 1 << 30)
            size *= 2; // the size of the pooled array, which is the size that is charged
        return Math.Max(size, needed);
    }

    private int ChargeForSize(int size) => size > MaxKept ? Math.Max(0, size - Charged) : 0;

    private void Replace(int capacity)
    {
        Uncharge();
        ArrayPool<byte>.Shared.Return(_array, _holdsSecret);
        _array = ArrayPool<byte>.Shared.Rent(capacity);
    }

    /// <summary>Frames that follow each other and have the same delivery.</summary>
    private readonly struct FrameRun(int start, int firstFrame, Delivery delivery)
    {
        /// <summary>The position of the first frame, in bytes.</summary>
        public readonly int Start = start;

        /// <summary>The number of frames before the first frame.</summary>
        public readonly int FirstFrame = firstFrame;

        /// <summary>The delivery.</summary>
        public readonly Delivery Delivery = delivery;
    }
}

/// <summary>The frames that wait and the frames that are being written. Not thread-safe.</summary>
/// <remarks>
/// Small frames share one buffer. A large message has a separate buffer, into which it was copied before the lock of the outbox was taken. The lock protects
/// all members except <see cref="TakeAlike"/>. The thread that writes owns the frames of a running write, from <see cref="TryTake"/> to the next
/// <see cref="TryTake"/> or <see cref="FreeWriting"/>.
/// </remarks>
internal sealed class FrameQueue(PendingTotal? total)
{
    /// <summary>The size from which a message has a separate buffer, in bytes.</summary>
    public const int LargeMessage = 64 * 1024;

    private readonly Queue<FrameBuffer> _earlier = []; // before the frames of Pending
    private FrameBuffer _writing = new(total);
    private FrameBuffer _lastEarlier = null!; // valid while _earlier is not empty
    private FrameBuffer? _spare;
    private int _earlierCharged;

    /// <summary>The newest frames that wait, to which further frames are appended.</summary>
    public FrameBuffer Pending { get; private set; } = new(total);

    /// <summary>The bytes that wait before those of <see cref="Pending"/>.</summary>
    public int EarlierLength { get; private set; }

    /// <summary>The bytes that wait.</summary>
    public int PendingLength => EarlierLength + Pending.Length;

    /// <summary>The bytes that wait, and the bytes that are being written.</summary>
    public int Length => PendingLength + _writing.Length;

    /// <summary>The bytes of all buffers that count towards the total.</summary>
    public int Charged => _earlierCharged + Pending.Charged + _writing.Charged;

    /// <inheritdoc cref="FrameBuffer.FirstLength"/>
    public int FirstLength => (_earlier.Count > 0 ? _earlier.Peek() : Pending).FirstLength;

    /// <summary>Appends the buffer of a large message.</summary>
    public void Append(FrameBuffer large)
    {
        Divide();
        AddEarlier(large);
    }

    /// <summary>Lets later frames be written separately.</summary>
    public void Divide()
    {
        if (Pending.Length == 0)
            return;
        AddEarlier(Pending);
        Pending = _spare ?? new FrameBuffer(total);
        _spare = null;
    }

    /// <summary>Ends the write of the frames that were taken before, and takes the frames that wait.</summary>
    /// <returns><c>false</c> if no frame waits.</returns>
    public bool TryTake(out ReadOnlyMemory<byte> frames)
    {
        var hasEarlier = _earlier.TryDequeue(out var next);
        // While many bytes wait, the next write will be as large. Returning the array would make it grow again from its smallest size. A spare buffer may not be used for long.
        _writing.Clear(keepsLarge: !hasEarlier && Pending.IsLarge && total is not { IsAmple: false });
        frames = default;
        if (hasEarlier)
        {
            EarlierLength -= next!.Length;
            _earlierCharged -= next.Charged;
            if (_spare is null)
                _spare = _writing;
            else
                _writing.Free();
            _writing = next;
        }
        else if (Pending.Length == 0)
        {
            Pending.Clear(keepsLarge: false);
            return false;
        }
        else
        {
            (Pending, _writing) = (_writing, Pending);
        }

        frames = _writing.Memory;
        return true;
    }

    /// <inheritdoc cref="FrameBuffer.TakeAlike"/>
    public ReadOnlyMemory<byte> TakeAlike(ref ReadOnlyMemory<byte> rest, out Delivery delivery) => _writing.TakeAlike(ref rest, out delivery);

    /// <summary>Completes when every frame that was appended before this call is written.</summary>
    public Task WaitWrittenAsync()
    {
        if (Pending.Length > 0)
            return Pending.WaitWrittenAsync();
        if (_earlier.Count > 0)
            return _lastEarlier.WaitWrittenAsync();
        return _writing.Length > 0 ? _writing.WaitWrittenAsync() : Task.CompletedTask;
    }

    /// <summary>Releases all frames except the frames of a running write, which <see cref="FreeWriting"/> releases.</summary>
    /// <returns>The number of frames that were not written, or whose write had not ended.</returns>
    public int Close(bool isWriting)
    {
        var lost = Pending.Frames + _writing.UnwrittenFrames;
        while (_earlier.TryDequeue(out var earlier))
        {
            lost += earlier.Frames;
            earlier.Free();
        }

        (EarlierLength, _earlierCharged) = (0, 0);
        Pending.Free();
        _spare?.Free();
        _spare = null;
        if (isWriting)
            _writing.GiveUp();
        else
            _writing.Free();
        return lost;
    }

    /// <summary>Releases the frames of a write that has ended.</summary>
    public void FreeWriting() => _writing.Free();

    private void AddEarlier(FrameBuffer buffer)
    {
        _earlier.Enqueue(buffer);
        _lastEarlier = buffer;
        EarlierLength += buffer.Length;
        _earlierCharged += buffer.Charged;
    }
}

/// <summary>A message for <see cref="Outbox.Append(ref OutgoingFrame, ref FlushChain)"/>: the header and the payload, which are copied.</summary>
internal ref struct OutgoingFrame(ReadOnlySpan<byte> message, bool isSecret = false)
{
    /// <summary>A message directly before the message; empty for none. Either both messages are appended, or none.</summary>
    public ReadOnlySpan<byte> Before;

    public readonly ReadOnlySpan<byte> Message = message;

    /// <summary>Whether to zero the bytes after they are written.</summary>
    public readonly bool IsSecret = isSecret;

    /// <summary>The maximum number of pending bytes; 0 for the limit of the outbox.</summary>
    public int MaxPending;

    /// <summary>Whether the message is accepted regardless of the limits, because the connection could not continue without it.</summary>
    public bool IsControl;

    /// <summary>The delivery of a control message.</summary>
    public Delivery Delivery;

    /// <summary>Called under the lock, before the message can be written or another message can be appended; <c>null</c> for no call. Only for code of the library.</summary>
    public Action? Appended;

    /// <summary>Whether the thread pool calls the taps instead of the thread that appends the message, because the caller holds a lock or must not wait. No tap runs under a lock.</summary>
    public bool ObservesLater;

    /// <summary>Whether the message was refused because the limit of all outboxes together is reached.</summary>
    public bool LacksTotal;

    /// <summary>The time for the taps; 0 if the message is not observed.</summary>
    public long ObservedAt;
}
