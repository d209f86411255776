using System.Runtime.CompilerServices;
using System.Runtime.InteropServices;
using Reloaded.Messaging.Wire;

namespace Reloaded.Messaging;

/// <summary>The reader of generated serializers. It trusts no length, and returns <c>false</c> instead of throwing.</summary>
/// <remarks>
/// After a failed Try method, the reader must not be used. Every count is checked against the remaining bytes before its collection is
/// created, and the memory of all messages and collections of a payload against <see cref="AllocationFactor"/> times the payload.
/// </remarks>
public ref partial struct PayloadReader
{
    /// <summary>The maximum memory of the collections and messages in a payload: this many bytes per byte of the payload, plus <see cref="AllocationBase"/>.</summary>
    /// <remarks>Without this limit, a list of empty messages of one byte each would turn one megabyte into a hundred.</remarks>
    public const int AllocationFactor = 32;

    /// <summary>The constant part of that maximum, in bytes.</summary>
    public const int AllocationBase = 4096;

    private readonly ReadOnlySpan<byte> _payload;
    private int _position;
    private int _end;
    private int _depth;
    private long _allowance;

    /// <summary>Creates a reader at the start of a payload.</summary>
    public PayloadReader(ReadOnlySpan<byte> payload)
    {
        _payload = payload;
        _position = 0;
        _end = payload.Length;
        _depth = 0;
        _allowance = AllocationBase + ((long)AllocationFactor * payload.Length);
    }

    /// <summary>Whether the current message or field has no more bytes.</summary>
    public readonly bool IsAtEnd
    {
        [MethodImpl(MethodImplOptions.AggressiveInlining)]
        get => _position == _end;
    }

    /// <summary>Reads a value of <see cref="PayloadWriter.WriteFixed"/>. All bytes are valid.</summary>
    /// <exception cref="NotSupportedException">Thrown for a struct on a big-endian machine.</exception>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public bool TryReadFixed<T>(out T value)
        where T : unmanaged
    {
        if (Unsafe.SizeOf<T>() > _end - _position)
        {
            value = default;
            return false;
        }

        value = Unsafe.ReadUnaligned<T>(in At(_position));
        if (!BitConverter.IsLittleEndian)
            LittleEndian.Reverse<T>(MemoryMarshal.AsBytes(MemoryMarshal.CreateSpan(ref value, 1)));
        _position += Unsafe.SizeOf<T>();
        return true;
    }

    /// <summary>Reads like <see cref="TryReadFixed"/>, without being inlined: for code that rarely runs.</summary>
    /// <exception cref="NotSupportedException">Thrown for a struct on a big-endian machine.</exception>
    [MethodImpl(MethodImplOptions.NoInlining)]
    public bool TryReadRareFixed<T>(out T value)
        where T : unmanaged => TryReadFixed(out value);

    /// <summary>Reads consecutive values of fixed size as one run; <see cref="Get"/> reads each value.</summary>
    /// <param name="size">The size of all values together, in bytes.</param>
    /// <param name="run">The bytes of the values.</param>
    /// <returns><c>false</c> if too few bytes are left; nothing was read then. Otherwise, <c>true</c>.</returns>
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

    /// <summary>Reads one value of a run like <see cref="TryReadFixed"/>.</summary>
    /// <exception cref="ArgumentOutOfRangeException">Thrown when the run ends before the value.</exception>
    /// <exception cref="NotSupportedException">Thrown for a struct on a big-endian machine.</exception>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public static T Get<T>(ReadOnlySpan<byte> run, int offset)
        where T : unmanaged
    {
        var value = Unsafe.ReadUnaligned<T>(ref MemoryMarshal.GetReference(run.Slice(offset, Unsafe.SizeOf<T>())));
        if (!BitConverter.IsLittleEndian)
            LittleEndian.Reverse<T>(MemoryMarshal.AsBytes(MemoryMarshal.CreateSpan(ref value, 1)));
        return value;
    }

    /// <summary>Reads one value of a run like <see cref="TryReadBoolean"/>.</summary>
    /// <returns><c>false</c> if the byte is neither 0 nor 1; otherwise, <c>true</c>.</returns>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public static bool TryGetBoolean(ReadOnlySpan<byte> run, int offset, out bool value)
    {
        var number = run[offset];
        value = number != 0;
        return number <= 1;
    }

    /// <summary>Fills <paramref name="values"/> with the values of <c>WriteBlock</c>, in one copy.</summary>
    /// <exception cref="NotSupportedException">Thrown for structs on a big-endian machine.</exception>
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

    /// <summary>Appends <paramref name="count"/> items, the count from <see cref="TryReadCount"/>, to a list.</summary>
    /// <exception cref="NotSupportedException">Thrown for structs on a big-endian machine.</exception>
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

    /// <summary>Reads the number of items that follow.</summary>
    /// <param name="itemBytes">The minimum size of an item in the payload, in bytes (1 or more).</param>
    /// <param name="itemMemory">The memory of an item in the collection, in bytes.</param>
    /// <param name="count">The number of items, or -1 for null.</param>
    /// <returns><c>false</c> if the payload cannot contain that many items; otherwise, <c>true</c>.</returns>
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

    /// <summary>Enters a nested message, which has a length.</summary>
    /// <param name="memory">The memory of the message object, without the objects that it references, in bytes.</param>
    /// <param name="isNull"><c>true</c> if the message is null; nothing was entered then.</param>
    /// <param name="outerEnd">The value for <see cref="Leave"/>.</param>
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

    /// <summary>Leaves a message, or an unknown field. Remaining bytes come from a newer sender and are skipped.</summary>
    /// <exception cref="ArgumentOutOfRangeException">Thrown when the value does not belong to an entered message or field.</exception>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public void Leave(int outerEnd)
    {
        if ((uint)(outerEnd - _end) > (uint)(_payload.Length - _end))
            Throw.ArgumentOutOfRange(nameof(outerEnd), outerEnd, "leave with the value that entering returned");
        _depth--;
        _position = _end;
        _end = outerEnd;
    }

    /// <summary>Enters a field of a version-tolerant message: its number, then its value with a length. No field is empty.</summary>
    /// <param name="previous">The number of the previous field; -1 for the first field. Numbers ascend.</param>
    /// <param name="number">The field's number.</param>
    /// <param name="outerEnd">The value for leaving the field.</param>
    public bool TryEnterField(long previous, out uint number, out int outerEnd)
    {
        outerEnd = _end;
        return TryReadUVarint(out number) && number > previous && TryEnter(0, out var isNull, out outerEnd) && !isNull && !IsAtEnd;
    }

    /// <summary>Leaves a field that was read.</summary>
    /// <returns><c>false</c> if the field has surplus bytes; otherwise, <c>true</c>.</returns>
    public bool TryLeaveField(int outerEnd)
    {
        var whole = IsAtEnd;
        Leave(outerEnd);
        return whole;
    }

    /// <summary>Reserves memory for an object from the maximum of the payload.</summary>
    /// <param name="memory">The memory of the object, in bytes.</param>
    /// <returns><c>false</c> if less is left; otherwise, <c>true</c>.</returns>
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
