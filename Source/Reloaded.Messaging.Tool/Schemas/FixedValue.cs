using System.Globalization;
using System.Numerics;
using System.Text.Json;

namespace Reloaded.Messaging.Tool;

/// <summary>The values of a fixed size: their bytes in a payload, and their form in JSON. docs/tool.md lists the forms.</summary>
internal sealed class FixedValue
{
    private const long MaxTicks = 3155378975999999999;

    private readonly ReadValue _read;
    private readonly Action<MessageBuffer, JsonElement> _write;

    private FixedValue(string name, int size, ReadValue read, Action<MessageBuffer, JsonElement> write) => (Name, Size, _read, _write) = (name, size, read, write);

    private delegate bool ReadValue(ref PayloadReader reader, Utf8JsonWriter json);

    /// <summary>The values by their codes.</summary>
    public static IReadOnlyDictionary<string, FixedValue> All { get; } = new Dictionary<string, FixedValue>
    {
        ["i1"] = Number<sbyte>("int8", 1),
        ["i2"] = Number<short>("int16", 2),
        ["i4"] = Number<int>("int32", 4),
        ["i8"] = Text<long>("int64", 8, Render, static json => Integer<long>(json)),
        ["i16"] = Text<Int128>("int128", 16, Render, static json => Integer<Int128>(json)),
        ["u1"] = Number<byte>("uint8", 1),
        ["u2"] = Number<ushort>("uint16", 2),
        ["u4"] = Number<uint>("uint32", 4),
        ["u8"] = Text<ulong>("uint64", 8, Render, static json => Integer<ulong>(json)),
        ["u16"] = Text<UInt128>("uint128", 16, Render, static json => Integer<UInt128>(json)),
        ["f2"] = Float<Half>("float16", 2),
        ["f4"] = Float<float>("float32", 4),
        ["f8"] = Float<double>("float64", 8),
        ["c2"] = new FixedValue("char", 2, ReadCharacter, WriteCharacter),
        ["b"] = new FixedValue("bool", 1, ReadBoolean, static (buffer, json) => buffer.WriteBoolean(json.GetBoolean())),
        ["g"] = Text<Guid>("Guid", 16, static guid => guid.ToString(), static json => Guid.Parse(Get(json))),
        ["d"] = new FixedValue("decimal", 16, ReadDecimal, static (buffer, json) => buffer.WriteDecimal(decimal.Parse(Get(json), NumberStyles.Float, CultureInfo.InvariantCulture))),
        ["ts"] = Text<long>("TimeSpan", 8, static ticks => new TimeSpan(ticks).ToString("c", CultureInfo.InvariantCulture), Ticks),
        ["t"] = Text<ulong>("DateTime", 8, RenderTime, Time),
        ["to"] = new FixedValue("DateTimeOffset", 10, ReadMoment, WriteMoment),
        ["dd"] = Text<int>("DateOnly", 4, static days => days is >= 0 and <= 3652058 ? DateOnly.FromDayNumber(days).ToString("O", CultureInfo.InvariantCulture) : null, static json => Date(json).DayNumber),
        ["tt"] = Text<long>("TimeOnly", 8, static ticks => ticks is >= 0 and < TimeSpan.TicksPerDay ? new TimeOnly(ticks).ToString("O", CultureInfo.InvariantCulture) : null, static json => Clock(json).Ticks),
    };

    /// <summary>The name in texts of errors, as hosts write it too.</summary>
    public string Name { get; }

    /// <summary>The size in bytes.</summary>
    public int Size { get; }

    /// <summary>Reads a value, and writes it as JSON.</summary>
    /// <returns><c>false</c> if the bytes are not such a value; otherwise, <c>true</c>.</returns>
    public bool TryRead(ref PayloadReader reader, Utf8JsonWriter json) => _read(ref reader, json);

    /// <summary>Writes a value that JSON contains.</summary>
    /// <exception cref="FormatException">Thrown when the value has another form, or is out of range. <see cref="OverflowException"/> and <see cref="InvalidOperationException"/> are thrown too.</exception>
    public void Write(MessageBuffer buffer, JsonElement json) => _write(buffer, json);

    private static FixedValue Number<T>(string name, int size)
        where T : unmanaged, IBinaryInteger<T> => new(
            name,
            size,
            static (ref PayloadReader reader, Utf8JsonWriter json) =>
            {
                if (!reader.TryReadFixed(out T value))
                    return false;
                json.WriteNumberValue(long.CreateChecked(value));
                return true;
            },
            static (buffer, json) => buffer.WriteFixed(Integer<T>(json)));

    private static FixedValue Float<T>(string name, int size)
        where T : unmanaged, IBinaryFloatingPointIeee754<T> => new(
            name,
            size,
            static (ref PayloadReader reader, Utf8JsonWriter json) =>
            {
                if (!reader.TryReadFixed(out T value))
                    return false;
                if (T.IsFinite(value))
                    json.WriteRawValue(value.ToString("R", CultureInfo.InvariantCulture));
                else
                    json.WriteStringValue(value.ToString("R", CultureInfo.InvariantCulture));
                return true;
            },
            static (buffer, json) =>
            {
                var text = Get(json);
                var value = T.Parse(text, NumberStyles.Float, CultureInfo.InvariantCulture);
                if (T.IsInfinity(value) && text.AsSpan().ContainsAnyInRange('0', '9'))
                    throw new OverflowException("it is out of range");
                buffer.WriteFixed(value);
            });

    /// <param name="name">The name in texts of errors.</param>
    /// <param name="size">The size in bytes.</param>
    /// <param name="render">Returns the text of a value; <c>null</c> if the value is invalid.</param>
    /// <param name="parse">Reads the text.</param>
    private static FixedValue Text<T>(string name, int size, Func<T, string?> render, Func<JsonElement, T> parse)
        where T : unmanaged => new(
            name,
            size,
            (ref PayloadReader reader, Utf8JsonWriter json) =>
            {
                if (!reader.TryReadFixed(out T value) || render(value) is not { } text)
                    return false;
                json.WriteStringValue(text);
                return true;
            },
            (buffer, json) => buffer.WriteFixed(parse(json)));

    private static string Render<T>(T value)
        where T : IFormattable => value.ToString(null, CultureInfo.InvariantCulture);

    private static T Integer<T>(JsonElement json)
        where T : IBinaryInteger<T> => T.Parse(Get(json), NumberStyles.AllowLeadingSign, CultureInfo.InvariantCulture);

    /// <summary>Returns the text of a number or a string.</summary>
    private static string Get(JsonElement json) => json.ValueKind == JsonValueKind.Number ? json.GetRawText() : json.GetString() ?? throw new FormatException("null");

    private static long Ticks(JsonElement json) => long.TryParse(Get(json), NumberStyles.AllowLeadingSign, CultureInfo.InvariantCulture, out var ticks)
        ? ticks
        : TimeSpan.ParseExact(Get(json), "c", CultureInfo.InvariantCulture).Ticks;

    private static DateOnly Date(JsonElement json) => int.TryParse(Get(json), NumberStyles.None, CultureInfo.InvariantCulture, out var days) && days <= 3652058
        ? DateOnly.FromDayNumber(days)
        : DateOnly.ParseExact(Get(json), "O", CultureInfo.InvariantCulture);

    private static TimeOnly Clock(JsonElement json) => long.TryParse(Get(json), NumberStyles.None, CultureInfo.InvariantCulture, out var ticks) && ticks < TimeSpan.TicksPerDay
        ? new TimeOnly(ticks)
        : TimeOnly.Parse(Get(json), CultureInfo.InvariantCulture);

    /// <summary>Writes a <c>DateTime</c> without a kind as a time, UTC with a Z, and a local time, whose ticks are in UTC, with +00:00.</summary>
    private static string? RenderTime(ulong bits)
    {
        var (ticks, kind) = ((long)(bits & ((1ul << 62) - 1)), bits >> 62);
        return ticks > MaxTicks || kind > 2 ? null : new DateTime(ticks).ToString("yyyy-MM-ddTHH:mm:ss.fffffff", CultureInfo.InvariantCulture) + (kind == 0 ? "" : kind == 1 ? "Z" : "+00:00");
    }

    private static ulong Time(JsonElement json)
    {
        if (json.ValueKind == JsonValueKind.Object)
            return Checked(Integer<ulong>(json.GetProperty("ticks"))) | (Integer<ulong>(json.GetProperty("kind")) << 62);
        var text = Get(json);
        var kind = text.EndsWith('Z') ? 1ul : text.EndsWith("+00:00", StringComparison.Ordinal) ? 2ul : 0;
        var length = text.Length - (kind == 0 ? 0 : kind == 1 ? 1 : 6);
        return (ulong)DateTime.Parse(text.AsSpan(0, length), CultureInfo.InvariantCulture, DateTimeStyles.NoCurrentDateDefault).Ticks | (kind << 62);

        static ulong Checked(ulong ticks) => ticks <= MaxTicks ? ticks : throw new FormatException("the ticks are out of range");
    }

    private static bool ReadMoment(ref PayloadReader reader, Utf8JsonWriter json)
    {
        if (!reader.TryReadDateTimeOffset(out var moment))
            return false;
        json.WriteStringValue(moment.ToString("O", CultureInfo.InvariantCulture));
        return true;
    }

    private static void WriteMoment(MessageBuffer buffer, JsonElement json) => buffer.WriteDateTimeOffset(json.ValueKind == JsonValueKind.Object
        ? new DateTimeOffset(Integer<long>(json.GetProperty("ticks")), TimeSpan.FromMinutes(Integer<short>(json.GetProperty("minutes"))))
        : DateTimeOffset.Parse(Get(json), CultureInfo.InvariantCulture, DateTimeStyles.AssumeUniversal));

    private static bool ReadDecimal(ref PayloadReader reader, Utf8JsonWriter json)
    {
        if (!reader.TryReadDecimal(out var value))
            return false;
        var sign = value == 0 && decimal.IsNegative(value) ? "-" : ""; // ToString omits the sign of zero
        json.WriteStringValue(sign + value.ToString(CultureInfo.InvariantCulture));
        return true;
    }

    private static bool ReadBoolean(ref PayloadReader reader, Utf8JsonWriter json)
    {
        if (!reader.TryReadBoolean(out var value))
            return false;
        json.WriteBooleanValue(value);
        return true;
    }

    /// <summary>Writes a character as a string, and half of a surrogate pair as a number.</summary>
    private static bool ReadCharacter(ref PayloadReader reader, Utf8JsonWriter json)
    {
        if (!reader.TryReadFixed(out ushort value))
            return false;
        if (char.IsSurrogate((char)value))
            json.WriteNumberValue(value);
        else
            json.WriteStringValue(((char)value).ToString());
        return true;
    }

    private static void WriteCharacter(MessageBuffer buffer, JsonElement json)
    {
        if (json.ValueKind == JsonValueKind.Number)
            buffer.WriteFixed(Integer<ushort>(json));
        else
            buffer.WriteFixed((ushort)(json.GetString() is { Length: 1 } text ? text[0] : throw new FormatException("it is not one character")));
    }
}
