using System.Buffers;
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
    private AsyncGate _written;

    public int Length { get; private set; }

    public int Frames { get; private set; }

    /// <summary>The bytes of the first message and of the message before it, since an empty buffer accepts a message of any size; 0 if the first frame is a control message.</summary>
    public int FirstLength { get; private set; }

    public ReadOnlyMemory<byte> Memory => new(_array, 0, Length);

    /// <summary>The bytes of a large array, which count towards the total. A smaller array does not count.</summary>
    public int Charged { get; private set; }

    /// <summary>Copies a message into a separate buffer.</summary>
    /// <returns>The buffer, or <c>null</c> if the total does not allow it.</returns>
    public static FrameBuffer? TryCopy(in OutgoingFrame frame, PendingTotal? total)
    {
        var copy = new FrameBuffer(total);
        if (copy.TryAppend(frame.Before, frame.Message, frame.IsSecret))
            return copy;
        copy.Free();
        return null;
    }

    /// <summary>Appends a message with its length prefix, and a message that belongs before it.</summary>
    /// <param name="before">The message before it; empty for none. Either both messages are appended, or none.</param>
    /// <param name="message">The message.</param>
    /// <param name="isSecret">Whether to zero the bytes of the message.</param>
    /// <returns><c>false</c> if the array has no room and the total does not allow a larger one.</returns>
    public bool TryAppend(ReadOnlySpan<byte> before, ReadOnlySpan<byte> message, bool isSecret)
    {
        var size = before.IsEmpty ? message.Length : before.Length + UVarint.MaxSize + message.Length;
        if (Length + UVarint.MaxSize + size > _array.Length && !TryCharge(size))
            return false;
        var isFirst = Length == 0;
        if (!before.IsEmpty)
            Append(before, isSecret: false, isControl: true);
        Append(message, isSecret);
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
    public void Append(ReadOnlySpan<byte> message, bool isSecret, bool isControl = false)
    {
        _holdsSecret |= isSecret;
        var needed = Length + UVarint.MaxSize + message.Length;
        if (needed > _array.Length)
            Grow(needed);
        if (message.Length < 0x80)
            _array[Length++] = (byte)message.Length;
        else
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
        Length = 0;
        FirstLength = 0;
        Frames = 0;
        _written.Open();
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
}
