using System;
using System.Collections.Generic;
using System.Runtime.CompilerServices;
using System.Runtime.InteropServices;
using Reloaded.Messaging.Wire;

namespace Reloaded.Messaging;

/// <summary>What generated serializers read with: believes no length, and fails rather than throws.</summary>
/// <remarks>
/// Once a Try method has failed, the reader is of no more use. Every count is checked against the bytes that are left before its collection is
/// made, and what all messages and collections of a payload take in memory against <see cref="AllocationFactor"/> times the payload.
/// </remarks>
public ref partial struct PayloadReader
{
    /// <summary>What collections and messages inside of a payload may take: so many bytes for each of its own, and <see cref="AllocationBase"/>.</summary>
    /// <remarks>A list of empty messages, one byte each, otherwise makes a megabyte into a hundred.</remarks>
    public const int AllocationFactor = 32;

    /// <summary>What they may take beyond that, in bytes.</summary>
    public const int AllocationBase = 4096;

    private readonly ReadOnlySpan<byte> _payload;
    private int _position;
    private int _end;
    private int _depth;
    private long _allowance;

    /// <summary>Starts at the payload's first byte.</summary>
    public PayloadReader(ReadOnlySpan<byte> payload)
    {
        _payload = payload;
        _position = 0;
        _end = payload.Length;
        _depth = 0;
        _allowance = AllocationBase + ((long)AllocationFactor * payload.Length);
    }

    /// <summary>Whether nothing is left of the message, or of the field, that is being read.</summary>
    public readonly bool IsAtEnd
    {
        [MethodImpl(MethodImplOptions.AggressiveInlining)]
        get => _position == _end;
    }

    /// <summary>Reads what <see cref="PayloadWriter.WriteFixed"/> wrote. Any bytes are valid.</summary>
    /// <exception cref="NotSupportedException">A struct, on a big-endian machine.</exception>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public bool TryReadFixed<T>(out T value)
        where T : unmanaged
    {
        if (Unsafe.SizeOf<T>() > _end - _position)
        {
            value = default;
            return false;
        }

        value = Unsafe.ReadUnaligned<T>(ref Unsafe.AsRef(in At(_position)));
        if (!BitConverter.IsLittleEndian)
            LittleEndian.Reverse<T>(MemoryMarshal.AsBytes(MemoryMarshal.CreateSpan(ref value, 1)));
        _position += Unsafe.SizeOf<T>();
        return true;
    }

    /// <summary>Reads as <see cref="TryReadFixed"/> does, by a call that is not inlined: for code that rarely runs, beside code that does.</summary>
    /// <exception cref="NotSupportedException">A struct, on a big-endian machine.</exception>
    [MethodImpl(MethodImplOptions.NoInlining)]
    public bool TryReadRareFixed<T>(out T value)
        where T : unmanaged => TryReadFixed(out value);

    /// <summary>Takes values of a fixed size that follow each other; <see cref="Get"/> reads each.</summary>
    /// <param name="size">The size of all values together, in bytes.</param>
    /// <param name="run">The bytes of the values.</param>
    /// <returns>False if fewer bytes are left; then nothing was taken.</returns>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public bool TryTakeRun(int size, out ReadOnlySpan<byte> run)
    {
        if ((uint)size > (uint)(_end - _position))
        {
            run = default;
            return false;
        }

        run = _payload.Slice(_position, size);
        _position += size;
        return true;
    }

    /// <summary>Reads one of the values of a run as <see cref="TryReadFixed"/> does.</summary>
    /// <exception cref="ArgumentOutOfRangeException">The run ends before the value does.</exception>
    /// <exception cref="NotSupportedException">A struct, on a big-endian machine.</exception>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public static T Get<T>(ReadOnlySpan<byte> run, int offset)
        where T : unmanaged
    {
        var value = Unsafe.ReadUnaligned<T>(ref MemoryMarshal.GetReference(run.Slice(offset, Unsafe.SizeOf<T>())));
        if (!BitConverter.IsLittleEndian)
            LittleEndian.Reverse<T>(MemoryMarshal.AsBytes(MemoryMarshal.CreateSpan(ref value, 1)));
        return value;
    }

    /// <summary>Reads one of the values of a run as <see cref="TryReadBoolean"/> does.</summary>
    /// <returns>False if the byte is neither 0 nor 1.</returns>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public static bool TryGetBoolean(ReadOnlySpan<byte> run, int offset, out bool value)
    {
        var number = run[offset];
        value = number != 0;
        return number <= 1;
    }

    /// <summary>Fills <paramref name="values"/> with what <c>WriteBlock</c> wrote, in one copy.</summary>
    /// <exception cref="NotSupportedException">Structs, on a big-endian machine.</exception>
    public bool TryReadBlock<T>(Span<T> values)
        where T : unmanaged
    {
        var bytes = MemoryMarshal.AsBytes(values);
        if (bytes.Length > _end - _position)
            return false;
        _payload.Slice(_position, bytes.Length).CopyTo(bytes);
        if (!BitConverter.IsLittleEndian)
            LittleEndian.Reverse<T>(bytes);
        _position += bytes.Length;
        return true;
    }

    /// <summary>Appends <paramref name="count"/> items, which <see cref="TryReadCount"/> gave, to a list.</summary>
    /// <exception cref="NotSupportedException">Structs, on a big-endian machine.</exception>
    public bool TryReadBlock<T>(List<T> values, int count)
        where T : unmanaged => ListBlock.TryRead(ref this, values, count);

    /// <summary>Reads a <see cref="UVarint"/>.</summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public bool TryReadUVarint(out uint value)
    {
        if (_position < _end && (value = At(_position)) < 0x80)
        {
            _position++;
            return true;
        }

        return TryReadLongUVarint(out value);
    }

    /// <summary>Reads how many items follow.</summary>
    /// <param name="itemBytes">The least that an item takes in the payload: 1 or more.</param>
    /// <param name="itemMemory">What an item takes in a collection, in bytes.</param>
    /// <param name="count">The count; -1 for null.</param>
    /// <returns>False if there can't be so many.</returns>
    public bool TryReadCount(int itemBytes, int itemMemory, out int count)
    {
        count = -1;
        if (!TryReadUVarint(out var prefix))
            return false;
        if (prefix == 0)
            return true;
        if ((ulong)(prefix - 1) * (uint)itemBytes > (uint)(_end - _position))
            return false;
        count = (int)(prefix - 1);
        return TryAllow((long)count * itemMemory);
    }

    /// <summary>Goes into a message that travels behind its length.</summary>
    /// <param name="memory">What the message takes in memory, without what it refers to, in bytes.</param>
    /// <param name="isNull">Whether there is none; then nothing was entered.</param>
    /// <param name="outerEnd">What to <see cref="Leave"/> it with.</param>
    public bool TryEnter(int memory, out bool isNull, out int outerEnd)
    {
        outerEnd = _end;
        isNull = false;
        if (!TryReadUVarint(out var prefix))
            return false;
        if (prefix == 0)
        {
            isNull = true;
            return true;
        }

        if (prefix - 1 > (uint)(_end - _position) || ++_depth >= PayloadWriter.MaxDepth || !TryAllow(memory))
            return false;
        _end = _position + (int)(prefix - 1);
        return true;
    }

    /// <summary>Leaves a message, or a field that nobody here knows. What is left of it came from a newer sender, and is passed over.</summary>
    /// <exception cref="ArgumentOutOfRangeException">It is not an end around what was entered.</exception>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public void Leave(int outerEnd)
    {
        if ((uint)(outerEnd - _end) > (uint)(_payload.Length - _end))
            Throw.ArgumentOutOfRange(nameof(outerEnd), outerEnd, "leave with what the reader was entered with");
        _depth--;
        _position = _end;
        _end = outerEnd;
    }

    /// <summary>Goes into a field of a version-tolerant message: its number, then its value behind a length. No field is empty.</summary>
    /// <param name="previous">The number of the field before it; 0 at first. Numbers ascend.</param>
    /// <param name="number">The field's number.</param>
    /// <param name="outerEnd">What to leave it with.</param>
    public bool TryEnterField(uint previous, out uint number, out int outerEnd)
    {
        outerEnd = _end;
        return TryReadUVarint(out number) && number > previous && TryEnter(0, out var isNull, out outerEnd) && !isNull && !IsAtEnd;
    }

    /// <summary>Leaves a field that was read.</summary>
    /// <returns>False if something was left of it.</returns>
    public bool TryLeaveField(int outerEnd)
    {
        var whole = IsAtEnd;
        Leave(outerEnd);
        return whole;
    }

    /// <summary>Takes what something that is about to be made needs off what the payload may take in memory.</summary>
    /// <param name="memory">The bytes it needs.</param>
    /// <returns>False if that is more than is left.</returns>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public bool TryAllow(long memory) => (_allowance -= memory) >= 0;

    [MethodImpl(MethodImplOptions.NoInlining)]
    private bool TryReadLongUVarint(out uint value)
    {
        if (UVarint.TryRead(_payload.Slice(_position, _end - _position), out value, out var size) != HeaderStatus.Ok)
            return false;
        _position += size;
        return true;
    }

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    private readonly ref readonly byte At(int position) => ref Unsafe.Add(ref MemoryMarshal.GetReference(_payload), (nint)(uint)position);
}
