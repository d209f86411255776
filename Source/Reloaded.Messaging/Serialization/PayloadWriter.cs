using System.ComponentModel;
using System.Diagnostics.CodeAnalysis;
using System.Runtime.CompilerServices;
using System.Runtime.InteropServices;
using System.Text;
using Reloaded.Messaging.Wire;

namespace Reloaded.Messaging;

/// <summary>The writing methods of generated serializers: one method for each form in docs/specification/binary-format.md.</summary>
/// <remarks>Also for hand-written serializers. No method allocates. Bytes beyond the writer's limit throw a <see cref="MessageTooLargeException"/>.</remarks>
public static class PayloadWriter
{
    /// <summary>The maximum nesting depth of messages, including the outermost.</summary>
    public const int MaxDepth = 64;

    // Up to this number of characters, the length takes one byte, whatever the characters are. Counting first is not needed.
    private const int ShortText = 42;

    /// <summary>Writes a number, character or enum in little-endian order, or the memory of a blittable struct.</summary>
    /// <exception cref="NotSupportedException">Thrown for a struct on a big-endian machine.</exception>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public static void WriteFixed<T>(this MessageBuffer buffer, T value)
        where T : unmanaged
    {
        ref var target = ref buffer.Take(Unsafe.SizeOf<T>());
        Unsafe.WriteUnaligned(ref target, value);
        if (!BitConverter.IsLittleEndian)
            LittleEndian.Reverse<T>(MemoryMarshal.CreateSpan(ref target, Unsafe.SizeOf<T>()));
    }

    /// <summary>Reserves a run for consecutive values of fixed size; <see cref="Put"/> writes each value.</summary>
    /// <returns>The run, with undefined contents. Fill it completely at once.</returns>
    /// <exception cref="ArgumentOutOfRangeException">Thrown when the size is negative.</exception>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public static Span<byte> StartRun(this MessageBuffer buffer, int size)
    {
        if (size < 0)
            Throw.ArgumentOutOfRange(nameof(size), size, "a run takes 0 bytes or more");
        return MemoryMarshal.CreateSpan(ref buffer.Take(size), size);
    }

    /// <summary>Writes one value of a run like <see cref="WriteFixed"/>.</summary>
    /// <exception cref="ArgumentOutOfRangeException">Thrown when the value does not fit.</exception>
    /// <exception cref="NotSupportedException">Thrown for a struct on a big-endian machine.</exception>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public static void Put<T>(Span<byte> run, int offset, T value)
        where T : unmanaged
    {
        var place = run.Slice(offset, Unsafe.SizeOf<T>());
        Unsafe.WriteUnaligned(ref MemoryMarshal.GetReference(place), value);
        if (!BitConverter.IsLittleEndian)
            LittleEndian.Reverse<T>(place);
    }

    /// <summary>Writes all <paramref name="values"/> like <see cref="WriteFixed"/>, in one copy and without a count.</summary>
    /// <exception cref="NotSupportedException">Thrown for structs on a big-endian machine.</exception>
    public static void WriteBlock<T>(this MessageBuffer buffer, ReadOnlySpan<T> values)
        where T : unmanaged
    {
        var start = buffer.Length;
        buffer.Write(MemoryMarshal.AsBytes(values));
        if (!BitConverter.IsLittleEndian)
            LittleEndian.Reverse<T>(buffer.From(start));
    }

    /// <summary>Writes all items of a list like <see cref="WriteBlock{T}(MessageBuffer, ReadOnlySpan{T})"/>, without a count.</summary>
    /// <exception cref="NotSupportedException">Thrown for structs on a big-endian machine.</exception>
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

    /// <summary>Writes 8 bytes: the ticks, and in the two highest bits the kind (0 unspecified, 1 UTC, 2 local). The ticks of a local time are in UTC, except those of the first and of the last time.</summary>
    public static void WriteDateTime(this MessageBuffer buffer, DateTime value)
    {
        var utc = value.Kind == DateTimeKind.Local && !IsEnd(value.Ticks) ? value.ToUniversalTime() : value;
        buffer.WriteFixed((ulong)utc.Ticks | ((ulong)value.Kind << 62));
    }

    /// <summary>Returns whether ticks are those of <see cref="DateTime.MinValue"/> or <see cref="DateTime.MaxValue"/>. A conversion between a local time and UTC would change them in some time zones.</summary>
    internal static bool IsEnd(long ticks) => ticks is 0 or PayloadReader.MaxTicks;

    /// <summary>Writes 10 bytes: the ticks of the local clock, and the offset from UTC in minutes.</summary>
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

    /// <summary>Writes the number of items plus one.</summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public static void WriteCount(this MessageBuffer buffer, int count) => buffer.WriteUVarint((uint)count + 1);

    /// <summary>Writes one byte of 0 for a string, collection or message that is null.</summary>
    public static void WriteNull(this MessageBuffer buffer) => buffer.Take(1) = 0;

    /// <summary>Writes the size of a string in UTF-8 plus one, and the string; 0 for null.</summary>
    /// <param name="buffer">The buffer.</param>
    /// <param name="value">The string.</param>
    /// <param name="member">The name of the member with the string, for the exception.</param>
    /// <exception cref="EncoderFallbackException">Thrown when the string contains an unpaired surrogate.</exception>
    public static void WriteString(this MessageBuffer buffer, string? value, string? member = null)
    {
        if (value is null)
        {
            buffer.WriteNull();
        }
        else if (value.Length <= ShortText)
        {
            ref var prefix = ref buffer.Room(1 + (ShortText * 3));
            var size = Utf8Text.Encode(value, MemoryMarshal.CreateSpan(ref Unsafe.Add(ref prefix, 1), ShortText * 3), member);
            prefix = (byte)(size + 1);
            buffer.Extend(size + 1);
        }
        else
        {
            var size = Utf8Text.Count(value, member);
            buffer.WriteCount(size);
            buffer.Advance(Utf8Text.Strict.GetBytes(value, buffer.GetSpan(size)));
        }
    }

    /// <summary>Starts a message or field with a length, which <see cref="EndNested"/> writes.</summary>
    /// <param name="buffer">The buffer.</param>
    /// <param name="member">The name of the member with the message, for the exception.</param>
    /// <returns>The value for <see cref="EndNested"/>.</returns>
    /// <exception cref="InvalidOperationException">Thrown when messages are nested deeper than <see cref="MaxDepth"/>, probably because of a circular reference.</exception>
    public static int StartNested(this MessageBuffer buffer, string? member = null)
    {
        if (++buffer.Depth >= MaxDepth)
            Throw.TooDeep(member, MaxDepth);
        buffer.Take(1) = 0;
        return buffer.Length;
    }

    /// <summary>Ends a message or field, and writes its length plus one at its start.</summary>
    /// <exception cref="ArgumentOutOfRangeException">Thrown when nothing was started at this position of the buffer.</exception>
    public static void EndNested(this MessageBuffer buffer, int start)
    {
        if ((uint)(start - 1) >= (uint)buffer.Length)
            Throw.ArgumentOutOfRange(nameof(start), start, "use the value that StartNested returned for this buffer");
        buffer.Depth--;
        var prefix = (uint)(buffer.Length - start) + 1;
        if (prefix < 0x80)
        {
            buffer.From(start - 1)[0] = (byte)prefix;
            return;
        }

        // Most nested messages are short and are not moved. Longer messages are moved once.
        var more = UVarint.SizeOf(prefix) - 1;
        buffer.Take(more);
        var span = buffer.From(start - 1);
        span.Slice(1, span.Length - 1 - more).CopyTo(span.Slice(1 + more));
        UVarint.Write(span, prefix);
    }

    /// <summary>Throws for a non-nullable member that is null, or for a part of a member.</summary>
    /// <exception cref="InvalidOperationException">Always thrown.</exception>
    [DoesNotReturn]
    [EditorBrowsable(EditorBrowsableState.Never)]
    public static void ThrowNull(string member, string part = "") => Throw.MemberIsNull(part + member);

    /// <summary>Throws for a collection that has another number of items than its count.</summary>
    /// <exception cref="InvalidOperationException">Always thrown.</exception>
    [DoesNotReturn]
    [EditorBrowsable(EditorBrowsableState.Never)]
    public static void ThrowMiscounted(string member, int count, int left) =>
        throw new InvalidOperationException($"{member} has a count of {count}, but enumerated {count - left} items. Do not change it while it is sent.");

    /// <summary>Throws for a value whose type is not a case of the union.</summary>
    /// <exception cref="InvalidOperationException">Always thrown.</exception>
    [DoesNotReturn]
    [EditorBrowsable(EditorBrowsableState.Never)]
    public static void ThrowNotInUnion(Type union, object value) => Throw.NotInUnion(union, value.GetType());
}

/// <summary>Converts between the memory of a value and little-endian bytes. On little-endian machines, both are the same.</summary>
internal static class LittleEndian
{
    /// <summary>Reverses the bytes of consecutive numbers, each in place.</summary>
    /// <exception cref="NotSupportedException">Thrown when <typeparamref name="T"/> is a struct, whose fields would have to be reversed one by one.</exception>
    [MethodImpl(MethodImplOptions.NoInlining)]
    public static void Reverse<T>(Span<byte> numbers)
        where T : unmanaged
    {
        if (!typeof(T).IsPrimitive && !typeof(T).IsEnum)
            throw new NotSupportedException($"{typeof(T)} is sent as its memory, which is little-endian on the wire and big-endian on this machine. Use a generated or JSON serializer.");
        for (var i = 0; i < numbers.Length; i += Unsafe.SizeOf<T>())
            numbers.Slice(i, Unsafe.SizeOf<T>()).Reverse();
    }
}
