using System.Globalization;
using System.Linq;
using System.Text;
using Reloaded.Messaging.Wire;

namespace Reloaded.Messaging.Tool;

/// <summary>Which keys are equal in .NET, though their bytes differ: docs/specification/binary-format.md, "Dictionaries".</summary>
internal static class EqualKeys
{
    /// <summary>Whether .NET compares two values by what they contain. It compares collections as objects. A message counts as a record, whose values are compared.</summary>
    public static bool AreComparable(WireType type) => type.Code is not ("[" or "{") && type.Parts.All(AreComparable);

    /// <summary>Returns a text that is the same for equal keys, and differs for others.</summary>
    /// <param name="type">The type of the key.</param>
    /// <param name="bytes">Its bytes in a payload.</param>
    public static string Describe(WireType type, ReadOnlySpan<byte> bytes)
    {
        var text = new StringBuilder();
        Describe(type, ref bytes, text);
        return text.ToString();
    }

    private static void Describe(WireType type, ref ReadOnlySpan<byte> bytes, StringBuilder text)
    {
        if (type.Code == "(" || (type.Code == "?" && bytes[0] == 1))
        {
            bytes = bytes.Slice(type.Code == "?" ? 1 : 0);
            foreach (var part in type.Parts)
                Describe(part, ref bytes, text);
            return;
        }

        var size = type.Code switch
        {
            "?" => 1, // null
            "s" or "m" when UVarint.TryRead(bytes, out var length, out var start) == HeaderStatus.Ok => start + Math.Max(0, (int)length - 1),
            _ => FixedValue.All[type.Code].Size,
        };
        text.Append(Describe(type.Code, bytes.Slice(0, size))).Append(';');
        bytes = bytes.Slice(size);
    }

    private static string Describe(string code, ReadOnlySpan<byte> bytes)
    {
        var reader = new PayloadReader(bytes);
        return code switch
        {
            "f2" when reader.TryReadFixed(out Half value) => Number((double)value),
            "f4" when reader.TryReadFixed(out float value) => Number(value),
            "f8" when reader.TryReadFixed(out double value) => Number(value),
            "d" when reader.TryReadDecimal(out var value) => (value / 1.0000000000000000000000000000m).ToString(CultureInfo.InvariantCulture), // without zeros at its end
            "t" when reader.TryReadFixed(out ulong bits) && (bits & (ulong.MaxValue >> 2)) is var ticks && (bits >> 62 != 2 || ticks == 0 || ticks == (ulong)DateTime.MaxValue.Ticks) => ticks.ToString(CultureInfo.InvariantCulture), // another local time becomes one of the receiver
            "to" when reader.TryReadDateTimeOffset(out var moment) => moment.UtcTicks.ToString(CultureInfo.InvariantCulture),
            _ => Convert.ToBase64String(bytes),
        };
    }

    private static string Number(double value) => value == 0 ? "0" : value.ToString("R", CultureInfo.InvariantCulture); // every NaN has one text
}
