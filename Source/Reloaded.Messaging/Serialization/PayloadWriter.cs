using System;
using System.Collections.Generic;
using System.ComponentModel;
using System.Diagnostics.CodeAnalysis;
using System.Runtime.CompilerServices;
using System.Runtime.InteropServices;
using System.Text;
using Reloaded.Messaging.Wire;

namespace Reloaded.Messaging;

/// <summary>What generated serializers write with: one method for each form in docs/binary-format.md.</summary>
/// <remarks>For serializers written by hand too. Nothing allocates; what exceeds the writer's limit throws <see cref="MessageTooLargeException"/>.</remarks>
public static class PayloadWriter
{
    /// <summary>How many messages may lie inside of one another, the outermost included.</summary>
    public const int MaxDepth = 64;

    // Up to so many characters the bytes' count takes one byte, whatever they are: there is no need to count first.
    private const int ShortText = 42;

    /// <summary>Writes a number, character or enum little-endian, or a blittable struct as its own bytes.</summary>
    /// <exception cref="NotSupportedException">A struct, on a big-endian machine.</exception>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public static void WriteFixed<T>(this MessageBuffer buffer, T value)
        where T : unmanaged
    {
        ref var target = ref buffer.Take(Unsafe.SizeOf<T>());
        Unsafe.WriteUnaligned(ref target, value);
        if (!BitConverter.IsLittleEndian)
            LittleEndian.Reverse<T>(MemoryMarshal.CreateSpan(ref target, Unsafe.SizeOf<T>()));
    }

    /// <summary>Makes room for values of a fixed size that follow each other; <see cref="Put"/> writes each.</summary>
    /// <returns>The room, of undefined content: to be filled at once, whole.</returns>
    /// <exception cref="ArgumentOutOfRangeException">The size is negative.</exception>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public static Span<byte> StartRun(this MessageBuffer buffer, int size)
    {
        if (size < 0)
            Throw.ArgumentOutOfRange(nameof(size), size, "a run takes 0 bytes or more");
        return MemoryMarshal.CreateSpan(ref buffer.Take(size), size);
    }

    /// <summary>Writes one of the values of a run as <see cref="WriteFixed"/> does.</summary>
    /// <exception cref="ArgumentOutOfRangeException">It doesn't fit there.</exception>
    /// <exception cref="NotSupportedException">A struct, on a big-endian machine.</exception>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public static void Put<T>(Span<byte> run, int offset, T value)
        where T : unmanaged
    {
        var place = run.Slice(offset, Unsafe.SizeOf<T>());
        Unsafe.WriteUnaligned(ref MemoryMarshal.GetReference(place), value);
        if (!BitConverter.IsLittleEndian)
            LittleEndian.Reverse<T>(place);
    }

    /// <summary>Writes all of <paramref name="values"/> as <see cref="WriteFixed"/> does one, in one copy. No count.</summary>
    /// <exception cref="NotSupportedException">Structs, on a big-endian machine.</exception>
    public static void WriteBlock<T>(this MessageBuffer buffer, ReadOnlySpan<T> values)
        where T : unmanaged
    {
        var start = buffer.Length;
        buffer.Write(MemoryMarshal.AsBytes(values));
        if (!BitConverter.IsLittleEndian)
            LittleEndian.Reverse<T>(buffer.From(start));
    }

    /// <summary>Writes all of a list's items as <see cref="WriteBlock{T}(MessageBuffer, ReadOnlySpan{T})"/> does. No count.</summary>
    /// <exception cref="NotSupportedException">Structs, on a big-endian machine.</exception>
    public static void WriteBlock<T>(this MessageBuffer buffer, List<T> values)
        where T : unmanaged => ListBlock.Write(buffer, values);

    /// <summary>Writes 0 or 1.</summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public static void WriteBoolean(this MessageBuffer buffer, bool value) => buffer.Take(1) = value ? (byte)1 : (byte)0;

    /// <summary>Writes 16 bytes: the four parts of <see cref="decimal.GetBits(decimal)"/>, lowest first, the scale and sign last.</summary>
    public static void WriteDecimal(this MessageBuffer buffer, decimal value)
    {
        Span<int> parts = stackalloc int[4];
        decimal.GetBits(value, parts);
        buffer.WriteBlock<int>(parts);
    }

    /// <summary>Writes 8 bytes: the ticks, and in the two highest bits 0 for no kind, 1 for UTC, 2 for local. A local time's ticks are in UTC.</summary>
    public static void WriteDateTime(this MessageBuffer buffer, DateTime value)
    {
        var utc = value.Kind == DateTimeKind.Local ? value.ToUniversalTime() : value;
        buffer.WriteFixed((ulong)utc.Ticks | ((ulong)value.Kind << 62));
    }

    /// <summary>Writes 10 bytes: the clock's ticks, and its offset from UTC in minutes.</summary>
    public static void WriteDateTimeOffset(this MessageBuffer buffer, DateTimeOffset value)
    {
        buffer.WriteFixed(value.Ticks);
        buffer.WriteFixed((short)(value.Offset.Ticks / TimeSpan.TicksPerMinute));
    }

    /// <summary>Writes a <see cref="UVarint"/>.</summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public static void WriteUVarint(this MessageBuffer buffer, uint value)
    {
        if (value < 0x80)
            buffer.Take(1) = (byte)value;
        else
            buffer.Advance(UVarint.Write(buffer.GetSpan(UVarint.MaxSize), value));
    }

    /// <summary>Writes how many items follow, as one more than that.</summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public static void WriteCount(this MessageBuffer buffer, int count) => buffer.WriteUVarint((uint)count + 1);

    /// <summary>Writes one byte of 0 in place of a string, collection or message.</summary>
    public static void WriteNull(this MessageBuffer buffer) => buffer.Take(1) = 0;

    /// <summary>Writes a string as UTF-8, behind one more than its bytes' count; null as 0.</summary>
    /// <exception cref="EncoderFallbackException">The string holds half of a surrogate pair.</exception>
    public static void WriteString(this MessageBuffer buffer, string? value)
    {
        if (value is null)
        {
            buffer.WriteNull();
        }
        else if (value.Length <= ShortText)
        {
            var span = buffer.GetSpan(1 + (ShortText * 3));
            var size = Utf8Text.Encode(value, span.Slice(1));
            span[0] = (byte)(size + 1);
            buffer.Advance(size + 1);
        }
        else
        {
            var size = Utf8Text.Strict.GetByteCount(value);
            buffer.WriteCount(size);
            buffer.Advance(Utf8Text.Strict.GetBytes(value, buffer.GetSpan(size)));
        }
    }

    /// <summary>Starts a message or field that travels behind its length, which <see cref="EndNested"/> writes.</summary>
    /// <returns>What to end it with.</returns>
    /// <exception cref="InvalidOperationException">More than <see cref="MaxDepth"/> messages would lie inside of one another: probably a reference back.</exception>
    public static int StartNested(this MessageBuffer buffer)
    {
        if (++buffer.Depth >= MaxDepth)
            Throw.TooDeep(MaxDepth);
        buffer.Take(1) = 0;
        return buffer.Length;
    }

    /// <summary>Ends what <see cref="StartNested"/> started: its length plus one goes in front of it.</summary>
    /// <exception cref="ArgumentOutOfRangeException">Nothing of this buffer can have started there.</exception>
    public static void EndNested(this MessageBuffer buffer, int start)
    {
        if ((uint)(start - 1) >= (uint)buffer.Length)
            Throw.ArgumentOutOfRange(nameof(start), start, "end what StartNested started in this buffer");
        buffer.Depth--;
        var prefix = (uint)(buffer.Length - start) + 1;
        if (prefix < 0x80)
        {
            buffer.At(start - 1) = (byte)prefix;
            return;
        }

        // Most messages inside of others are short: those are not moved, and longer ones once.
        var more = UVarint.SizeOf(prefix) - 1;
        buffer.Take(more);
        var span = buffer.From(start - 1);
        span.Slice(1, span.Length - 1 - more).CopyTo(span.Slice(1 + more));
        UVarint.Write(span, prefix);
    }

    /// <summary>Fails a member that is null and declared not to be.</summary>
    /// <exception cref="InvalidOperationException">Always.</exception>
    [DoesNotReturn]
    [EditorBrowsable(EditorBrowsableState.Never)]
    public static void ThrowNull(string member) => Throw.MemberIsNull(member);

    /// <summary>Fails a union's value of a type that the union doesn't name.</summary>
    /// <exception cref="InvalidOperationException">Always.</exception>
    [DoesNotReturn]
    [EditorBrowsable(EditorBrowsableState.Never)]
    public static void ThrowNotInUnion(Type union, object value) => Throw.NotInUnion(union, value.GetType());
}
