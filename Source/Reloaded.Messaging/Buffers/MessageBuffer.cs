using System.Buffers;
using System.Buffers.Binary;
using System.Diagnostics;
using System.Runtime.CompilerServices;
using System.Runtime.InteropServices;
using Reloaded.Messaging.Wire;

namespace Reloaded.Messaging;

/// <summary>The growing, reusable buffer that serializers write into.</summary>
/// <remarks>
/// Passed to <see cref="IMessageSerializer{T}.Serialize"/> for the duration of the call, and owned by the library before and after it:
/// never keep a reference. Not thread-safe: two threads that write at the same time mix their bytes or get an exception, and never write outside
/// of the array, because each access reads the array once and compares its length. Sealed, so that calls are inlined.
/// Arrays up to 16 KiB stay with the buffer. Larger arrays are rented from <see cref="ArrayPool{T}.Shared"/> and returned with the message.
/// </remarks>
public sealed class MessageBuffer : IBufferWriter<byte>
{
    /// <summary>The size of the first array of a new buffer, in bytes.</summary>
    internal const int InitialCapacity = 256;

    /// <summary>The maximum size of an array that stays with its buffer, in bytes.</summary>
    internal const int MaxRetained = 16384;

    /// <summary>From a use to the state in which the owner may use the buffer again.</summary>
    internal const long FreeGeneration = 3;

    /// <summary>From a use to its end on another thread: the buffer is on its way back to its owner.</summary>
    internal const long EndedGeneration = 1;

    private byte[] _array;
    private byte[] _retained;
    private int _length;
    private int _limitStart;
    private int _limit = int.MaxValue;

    internal MessageBuffer(ThreadCache? home)
    {
        Owner = FastReturnOwner = home;
        _array = _retained = GC.AllocateUninitializedArray<byte>(InitialCapacity);
    }

    /// <summary>
    /// Which use of the buffer this is, and whether the buffer is in use, in one number. A multiple of four: free. One more: in use, and
    /// a handle with the same number is valid. Two more: released by another thread. Only the owner starts a use.
    /// </summary>
    internal long Generation;

    /// <summary>The owner while a release on its thread only ends the generation. <c>null</c> while the buffer needs cleanup.</summary>
    internal ThreadCache? FastReturnOwner;

    /// <summary>The position up to which a batch stores frames without a call: the end of the array or of the batch. 0 outside of a batch.</summary>
    internal int FrameEnd;

    /// <summary>The nesting depth of the messages that are being written.</summary>
    internal int Depth;

    /// <summary>The cache that created this buffer and alone decides when it is used again, or <c>null</c> for a buffer outside of the pool.</summary>
    internal readonly ThreadCache? Owner;

    /// <summary>Whether the buffer may not be used for another message. Any thread; exact on the owner's.</summary>
    internal bool IsInUse => (Volatile.Read(ref Generation) & 3) != 0;

    /// <summary>Whether the buffer has to be zeroed before its next use.</summary>
    internal bool IsSecret { get; private set; }

    /// <summary>Whether a return needs more than a flag: a secret to zero, or an array to return.</summary>
    internal bool NeedsCleanup => IsSecret || _array != _retained;

    /// <summary>The number of bytes written so far, header included.</summary>
    internal int Length => _length;

    internal ReadOnlySpan<byte> Written => new(_array, 0, _length);

    internal ReadOnlyMemory<byte> WrittenMemory => new(_array, 0, _length);

    internal int Capacity => _array.Length;

    /// <summary>Confirms that <paramref name="count"/> bytes of the last span or memory were written.</summary>
    /// <exception cref="ArgumentOutOfRangeException">Thrown when <paramref name="count"/> is negative or larger than the span or memory.</exception>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public void Advance(int count)
    {
        if ((uint)count > (uint)(_array.Length - _length))
            Throw.AdvancedTooFar(count, _array.Length - _length);
        _length += count;
    }

    /// <summary>Returns memory to write to, of at least <paramref name="sizeHint"/> bytes and never empty. Its contents are undefined.</summary>
    /// <exception cref="MessageTooLargeException">Thrown when the written bytes already exceed the writer's limit.</exception>
    public Memory<byte> GetMemory(int sizeHint = 0)
    {
        Reserve(sizeHint);
        return new Memory<byte>(_array, _length, _array.Length - _length);
    }

    /// <inheritdoc cref="GetMemory"/>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public Span<byte> GetSpan(int sizeHint = 0)
    {
        Reserve(sizeHint);
        return new Span<byte>(_array, _length, _array.Length - _length);
    }

    /// <summary>Appends bytes.</summary>
    /// <exception cref="MessageTooLargeException">Thrown when the bytes exceed the writer's limit.</exception>
    public void Write(ReadOnlySpan<byte> bytes)
    {
        if (bytes.IsEmpty)
            return;
        if (bytes.Length > _array.Length - _length && (long)_length + bytes.Length - _limitStart > _limit)
            Throw.MessageTooLarge(null, (long)_length + bytes.Length - _limitStart, _limit, "of the writer"); // before any memory is rented
        bytes.CopyTo(GetSpan(bytes.Length));
        _length += bytes.Length;
    }

    /// <summary>Appends a header.</summary>
    internal void Write(in MessageHeader header) => Advance(header.Write(GetSpan(MessageHeader.MaxSize)));

    /// <summary>Appends the lowest <paramref name="size"/> bytes (at most seven).</summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    internal void AppendHeader(ulong bytes, int size)
    {
        BinaryPrimitives.WriteUInt64LittleEndian(MemoryMarshal.CreateSpan(ref Take(sizeof(ulong)), sizeof(ulong)), bytes);
        _length -= sizeof(ulong) - size;
    }

    /// <summary>Appends the memory of a struct.</summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    internal void Append<T>(in T value) => Unsafe.WriteUnaligned(ref Take(Unsafe.SizeOf<T>()), value);

    /// <summary>Resets the buffer to <paramref name="size"/> bytes, which the caller fills at once.</summary>
    /// <param name="size">The size, at most <see cref="InitialCapacity"/>.</param>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    internal ref byte Start(int size)
    {
        _length = size;
        return ref MemoryMarshal.GetArrayDataReference(_array);
    }

    /// <summary>Appends a frame of <paramref name="size"/> bytes that the caller fills at once, up to <see cref="FrameEnd"/>.</summary>
    /// <param name="size">The size of the frame.</param>
    /// <param name="array">Receives the array, which has room for the frame.</param>
    /// <param name="start">Receives the position of the frame in the array.</param>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    internal bool TryStartFrame(int size, out byte[] array, out int start)
    {
        (start, array) = (_length, _array);
        if (size > FrameEnd - start || !HasRoom(array, start, size)) // the order of the operands cannot overflow
            return false;
        _length = start + size;
        return true;
    }

    /// <summary>Gets a reference to a byte of an array, without a check.</summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    internal static ref byte At(byte[] array, int position) => ref Unsafe.Add(ref MemoryMarshal.GetArrayDataReference(array), (nint)(uint)position);

    /// <summary>Appends <paramref name="size"/> bytes that the caller fills at once.</summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    internal ref byte Take(int size)
    {
        var (start, array) = (_length, _array);
        if (!HasRoom(array, start, size))
            array = Grow(start, size);
        _length = start + size;
        return ref At(array, start);
    }

    /// <summary>Gets a reference to <paramref name="size"/> bytes after the written bytes. <see cref="Extend"/> appends those that the caller has filled.</summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    internal ref byte Room(int size)
    {
        var (start, array) = (_length, _array);
        if (!HasRoom(array, start, size))
            array = Grow(start, size);
        return ref At(array, start);
    }

    /// <summary>Appends <paramref name="size"/> bytes that were written to <see cref="Room"/>, and not more than it had.</summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    internal void Extend(int size) => _length += size;

    /// <summary>Returns the written bytes from <paramref name="start"/> on, to read or to change.</summary>
    internal Span<byte> From(int start) => new(_array, start, _length - start);

    /// <summary>Empties the buffer for its next use. A serializer that writes more than <paramref name="limit"/> bytes fails.</summary>
    internal void Restart(int limit)
    {
        _length = 0;
        LimitFrom(0, limit);
    }

    /// <summary>Sets the limit for bytes after <paramref name="start"/>. A serializer that writes more than <paramref name="limit"/> bytes fails.</summary>
    internal void LimitFrom(int start, int limit)
    {
        Depth = 0;
        _limitStart = start;
        _limit = limit;
    }

    /// <summary>Removes the bytes after <paramref name="length"/>.</summary>
    internal void Truncate(int length)
    {
        Debug.Assert(length <= _length, "Only written bytes can be removed.");
        _length = length;
    }

    /// <summary>Replaces the array by a small one, if it is larger than many spare buffers may have. Only for cleaned buffers.</summary>
    internal void Shrink()
    {
        if (_retained.Length > InitialCapacity)
            _array = _retained = GC.AllocateUninitializedArray<byte>(InitialCapacity);
    }

    internal void MarkSecret()
    {
        IsSecret = true;
        FastReturnOwner = null;
    }

    /// <summary>Resets the buffer: secrets are zeroed, a large array is returned.</summary>
    [MethodImpl(MethodImplOptions.NoInlining)] // rare, and it would bloat the release that inlines it
    internal void Clean()
    {
        if (IsSecret)
            Array.Clear(_array, 0, _array.Length); // the whole array: a serializer may have written past the part that it kept
        else if (MessagePool.PoisonsReturnedBuffers)
            _array.AsSpan().Fill(MessagePool.Poison);

        IsSecret = false;
        _length = 0;
        if (_array != _retained)
        {
            var large = _array;
            _array = _retained;
            ArrayPool<byte>.Shared.Return(large);
        }

        Volatile.Write(ref FastReturnOwner, Owner);
    }

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    private void Reserve(int sizeHint)
    {
        // One comparison: a hint of 0 (any size except zero) and a negative hint wrap around and are handled in Grow.
        if ((uint)(sizeHint - 1) >= (uint)(_array.Length - _length))
            Grow(_length, sizeHint);
    }

    /// <summary>Whether an array has room for <paramref name="size"/> bytes from <paramref name="start"/> on. A length that two threads have changed may be negative.</summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    private static bool HasRoom(byte[] array, int start, int size) => (ulong)(uint)start + (uint)size <= (uint)array.Length;

    /// <summary>Makes room for <paramref name="sizeHint"/> bytes, or for any number but zero.</summary>
    /// <param name="start">The length that the caller has read: another one would belong to another array.</param>
    /// <param name="sizeHint">The number of bytes; 0 for any.</param>
    /// <returns>The array.</returns>
    [MethodImpl(MethodImplOptions.NoInlining)]
    private byte[] Grow(int start, int sizeHint)
    {
        if (sizeHint < 0)
            Throw.ArgumentOutOfRange(nameof(sizeHint), sizeHint, "a size hint is 0 bytes or more");
        var old = _array;
        if (sizeHint == 0 && start < old.Length)
            return old;
        if (start - _limitStart > _limit)
            Throw.MessageTooLarge(null, start - _limitStart, _limit, "of the writer");

        var needed = (long)start + Math.Max(sizeHint, 1);
        if (needed > MessageLimits.LargestArray)
            Throw.MessageTooLarge(null, needed, MessageLimits.LargestArray, "of the runtime");

        var size = (int)Math.Min(Math.Max(needed, (long)old.Length * 2), MessageLimits.LargestArray);
        var array = size <= MaxRetained ? GC.AllocateUninitializedArray<byte>(size) : ArrayPool<byte>.Shared.Rent(size);
        Buffer.BlockCopy(old, 0, array, 0, start); // throws for a length that two threads have made wrong
        _array = array;
        if (size <= MaxRetained)
            _retained = array;
        else
            FastReturnOwner = null;
        if (IsSecret)
            Array.Clear(old, 0, old.Length);
        if (old.Length > MaxRetained) // a rented array: an array that stays is never larger
            ArrayPool<byte>.Shared.Return(old);
        return array;
    }
}
