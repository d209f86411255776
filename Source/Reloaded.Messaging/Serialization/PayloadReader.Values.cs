using System.Diagnostics.CodeAnalysis;
using System.Runtime.CompilerServices;

namespace Reloaded.Messaging;

/// <content>Values for which not all bytes are valid. They are checked.</content>
public ref partial struct PayloadReader
{
    internal const long MaxTicks = 3_155_378_975_999_999_999; // of DateTime.MaxValue

    /// <summary>Reads a byte of 0 or 1.</summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public bool TryReadBoolean(out bool value)
    {
        var read = TryReadFixed(out byte number);
        value = number != 0;
        return read && number <= 1;
    }

    /// <summary>Reads a value of <see cref="PayloadWriter.WriteDecimal"/>: the last part has a scale of 0 to 28, a sign, and no other bits.</summary>
    public bool TryReadDecimal(out decimal value)
    {
        const int SignBit = int.MinValue;
        value = default;
        if (!TryReadFixed(out int low) || !TryReadFixed(out int mid) || !TryReadFixed(out int high) || !TryReadFixed(out int flags))
            return false;
        var scale = (flags & ~SignBit) >> 16;
        if (scale > 28 || (flags & ~SignBit) != scale << 16)
            return false;
        value = new decimal(low, mid, high, flags < 0, (byte)scale);
        return true;
    }

    /// <summary>Reads a value of <see cref="PayloadWriter.WriteDateTime"/>. A local time is converted to the local time of this machine, except the first and the last time.</summary>
    public bool TryReadDateTime(out DateTime value)
    {
        value = default;
        if (!TryReadFixed(out ulong data))
            return false;
        var kind = (DateTimeKind)(data >> 62);
        var ticks = (long)(data & ((1UL << 62) - 1));
        if (ticks > MaxTicks || kind > DateTimeKind.Local)
            return false;
        value = kind == DateTimeKind.Local && !PayloadWriter.IsEnd(ticks) ? new DateTime(ticks, DateTimeKind.Utc).ToLocalTime() : new DateTime(ticks, kind);
        return true;
    }

    /// <summary>Reads a value of <see cref="PayloadWriter.WriteDateTimeOffset"/>: an offset of at most 14 hours, and a time that exists in UTC too.</summary>
    public bool TryReadDateTimeOffset(out DateTimeOffset value)
    {
        const int MostMinutes = 14 * 60;
        value = default;
        if (!TryReadFixed(out long ticks) || !TryReadFixed(out short minutes))
            return false;
        if ((ulong)ticks > MaxTicks || minutes is < -MostMinutes or > MostMinutes)
            return false;
        var offset = minutes * TimeSpan.TicksPerMinute;
        if ((ulong)(ticks - offset) > MaxTicks)
            return false;
        value = new DateTimeOffset(ticks, new TimeSpan(offset));
        return true;
    }

    /// <summary>Reads a nullable string.</summary>
    public bool TryReadString(out string? value)
    {
        if (TryReadText(out var utf8, out var isNull) && !isNull)
            return Utf8Text.TryDecode(utf8, out value);
        value = null;
        return isNull;
    }

    /// <summary>Reads a non-nullable string.</summary>
    public bool TryReadRequiredString([NotNullWhen(true)] out string? value)
    {
        if (TryReadText(out var utf8, out var isNull) && !isNull)
            return Utf8Text.TryDecode(utf8, out value);
        value = null;
        return false;
    }

    /// <summary>Reads a nullable string through the cache of repeated strings.</summary>
    public bool TryReadInterned(out string? value)
    {
        if (TryReadText(out var utf8, out var isNull) && !isNull)
            return StringCache.TryGetOrAdd(utf8, out value);
        value = null;
        return isNull;
    }

    /// <summary>Reads a non-nullable string through the cache of repeated strings.</summary>
    public bool TryReadRequiredInterned([NotNullWhen(true)] out string? value)
    {
        if (TryReadText(out var utf8, out var isNull) && !isNull)
            return StringCache.TryGetOrAdd(utf8, out value);
        value = null;
        return false;
    }

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    private bool TryReadText(out ReadOnlySpan<byte> utf8, out bool isNull)
    {
        utf8 = default;
        isNull = false;
        if (!TryReadUVarint(out var prefix))
            return false;
        isNull = prefix == 0;
        return isNull || (prefix <= int.MaxValue && TryTake((int)(prefix - 1), out utf8));
    }

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    private bool TryTake(int size, out ReadOnlySpan<byte> bytes)
    {
        if (size > _end - _position)
        {
            bytes = default;
            return false;
        }

        bytes = _payload.Slice(_position, size);
        _position += size;
        return true;
    }
}
