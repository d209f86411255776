using System;
using System.Buffers;
using System.Buffers.Binary;
using System.Diagnostics;
using System.Runtime.CompilerServices;
using System.Runtime.InteropServices;
using Reloaded.Messaging.Wire;

namespace Reloaded.Messaging;

/// <summary>The growing, recyclable buffer that serializers write into.</summary>
/// <remarks>
/// Handed to <see cref="IMessageSerializer{T}.Serialize"/> for the length of that call and owned by the library before and after:
/// never keep one. Not thread-safe. Sealed, so that calls on it inline.
/// Arrays up to 16 KiB stay with the buffer; larger ones come from <see cref="ArrayPool{T}.Shared"/> and go back to it with the message.
/// </remarks>
public sealed partial class MessageBuffer : IBufferWriter<byte>
{
    /// <summary>The array that a new buffer starts with, in bytes.</summary>
    internal const int InitialCapacity = 256;

    /// <summary>The largest array that stays with its buffer, in bytes.</summary>
    internal const int MaxRetained = 16384;

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

    /// <summary>Up to where a batch stores frames without a call: the end of the array, or of the batch. 0 outside of a batch.</summary>
    internal int FrameEnd;

    /// <summary>How many messages inside of one another are being written.</summary>
    internal int Depth;

    /// <summary>The bytes written so far, the header included.</summary>
    internal int Length => _length;

    internal ReadOnlySpan<byte> Written => MemoryMarshal.CreateReadOnlySpan(ref MemoryMarshal.GetArrayDataReference(_array), _length);

    internal ReadOnlyMemory<byte> WrittenMemory => new(_array, 0, _length);

    internal int Capacity => _array.Length;

    /// <summary>Says that <paramref name="count"/> bytes of the last span or memory were written.</summary>
    /// <exception cref="ArgumentOutOfRangeException">More than was handed out, or less than nothing.</exception>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public void Advance(int count)
    {
        if ((uint)count > (uint)(_array.Length - _length))
            Throw.AdvancedTooFar(count, _array.Length - _length);
        _length += count;
    }

    /// <summary>Room to write to, at least <paramref name="sizeHint"/> bytes and never none. What it holds is undefined.</summary>
    /// <exception cref="MessageTooLargeException">What was written already exceeds the writer's limit.</exception>
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
    /// <exception cref="MessageTooLargeException">They exceed the writer's limit.</exception>
    public void Write(ReadOnlySpan<byte> bytes)
    {
        if (bytes.IsEmpty)
            return;
        if (bytes.Length > _array.Length - _length && (long)_length + bytes.Length - _limitStart > _limit)
            Throw.MessageTooLarge(null, (long)_length + bytes.Length - _limitStart, _limit, "the writer's"); // before anything is rented
        bytes.CopyTo(GetSpan(bytes.Length));
        _length += bytes.Length;
    }

    /// <summary>Appends a header.</summary>
    internal void Write(in MessageHeader header) => Advance(header.Write(GetSpan(MessageHeader.MaxSize)));

    /// <summary>Appends the lowest <paramref name="size"/> bytes, of which there are up to seven.</summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    internal void AppendHeader(ulong bytes, int size)
    {
        BinaryPrimitives.WriteUInt64LittleEndian(MemoryMarshal.CreateSpan(ref Take(sizeof(ulong)), sizeof(ulong)), bytes);
        _length -= sizeof(ulong) - size;
    }

    /// <summary>Appends a struct's own bytes.</summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    internal void Append<T>(in T value) => Unsafe.WriteUnaligned(ref Take(Unsafe.SizeOf<T>()), value);

    /// <summary>Makes an empty buffer <paramref name="size"/> bytes long, which the caller fills at once.</summary>
    /// <param name="size">Up to <see cref="InitialCapacity"/>.</param>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    internal ref byte Start(int size)
    {
        _length = size;
        return ref MemoryMarshal.GetArrayDataReference(_array);
    }

    /// <summary>Appends a frame of <paramref name="size"/> bytes that the caller fills at once, up to <see cref="FrameEnd"/>.</summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    internal bool TryStartFrame(int size, out int start)
    {
        start = _length;
        if (size > FrameEnd - start) // in this order nothing overflows
            return false;
        _length = start + size;
        return true;
    }

    /// <summary>The byte at <paramref name="position"/>, which lies before <see cref="Length"/>.</summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    internal ref byte At(int position) => ref Unsafe.Add(ref MemoryMarshal.GetArrayDataReference(_array), (nint)(uint)position);

    /// <summary>Appends <paramref name="size"/> bytes that the caller fills at once.</summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    internal ref byte Take(int size)
    {
        var start = _length;
        if ((uint)(start + size) > (uint)_array.Length)
            Grow(size);
        _length = start + size;
        return ref At(start);
    }

    /// <summary>The part of what was written that starts at <paramref name="start"/>, to read or to change.</summary>
    internal Span<byte> From(int start) => new(_array, start, _length - start);

    /// <summary>Empties the buffer for its next use. Fails a serializer that writes more than <paramref name="limit"/> bytes.</summary>
    internal void Restart(int limit)
    {
        _length = 0;
        LimitFrom(0, limit);
    }

    /// <summary>Fails a serializer that writes more than <paramref name="limit"/> bytes behind <paramref name="start"/>.</summary>
    internal void LimitFrom(int start, int limit)
    {
        Depth = 0;
        _limitStart = start;
        _limit = limit;
    }

    /// <summary>Cuts off what was written behind <paramref name="length"/>.</summary>
    internal void Truncate(int length)
    {
        Debug.Assert(length <= _length, "Only what was written can be cut off.");
        _length = length;
    }

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    private void Reserve(int sizeHint)
    {
        // One comparison: a hint of 0 (anything but nothing) and a negative one wrap around and are sorted out in Grow.
        if ((uint)(sizeHint - 1) >= (uint)(_array.Length - _length))
            Grow(sizeHint);
    }

    [MethodImpl(MethodImplOptions.NoInlining)]
    private void Grow(int sizeHint)
    {
        if (sizeHint < 0)
            Throw.ArgumentOutOfRange(nameof(sizeHint), sizeHint, "a size hint is 0 bytes or more");
        if (sizeHint == 0 && _length < _array.Length)
            return;
        if (_length - _limitStart > _limit)
            Throw.MessageTooLarge(null, _length - _limitStart, _limit, "the writer's");

        var needed = (long)_length + Math.Max(sizeHint, 1);
        if (needed > MessageLimits.LargestArray)
            Throw.MessageTooLarge(null, needed, MessageLimits.LargestArray, "the runtime's");

        var size = (int)Math.Min(Math.Max(needed, (long)_array.Length * 2), MessageLimits.LargestArray);
        var old = _array;
        if (size <= MaxRetained)
        {
            _array = _retained = GC.AllocateUninitializedArray<byte>(size);
        }
        else
        {
            _array = ArrayPool<byte>.Shared.Rent(size);
            FastReturnOwner = null;
        }

        Buffer.BlockCopy(old, 0, _array, 0, _length);
        if (IsSecret)
            Array.Clear(old, 0, old.Length);
        if (old.Length > MaxRetained) // rented before: a retained array never is larger
            ArrayPool<byte>.Shared.Return(old);
    }
}
