using System.Buffers.Binary;
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

    private static string Describe(string code, ReadOnlySpan<byte> bytes) => code switch
    {
        "f2" => Number((double)BinaryPrimitives.ReadHalfLittleEndian(bytes)),
        "f4" => Number(BinaryPrimitives.ReadSingleLittleEndian(bytes)),
        "f8" => Number(BinaryPrimitives.ReadDoubleLittleEndian(bytes)),
        "d" => (Decimal(bytes) / 1.0000000000000000000000000000m).ToString(CultureInfo.InvariantCulture), // without zeros at its end
        "t" when bytes[7] >> 6 != 2 => (BinaryPrimitives.ReadInt64LittleEndian(bytes) & 0x3FFF_FFFF_FFFF_FFFF).ToString(CultureInfo.InvariantCulture), // a local time becomes one of the receiver
        "to" => (BinaryPrimitives.ReadInt64LittleEndian(bytes) - (BinaryPrimitives.ReadInt16LittleEndian(bytes.Slice(8)) * TimeSpan.TicksPerMinute)).ToString(CultureInfo.InvariantCulture),
        _ => Convert.ToBase64String(bytes),
    };

    private static string Number(double value) => value == 0 ? "0" : value.ToString("R", CultureInfo.InvariantCulture); // every NaN has one text

    private static decimal Decimal(ReadOnlySpan<byte> bytes) => new(
    [
        BinaryPrimitives.ReadInt32LittleEndian(bytes),
        BinaryPrimitives.ReadInt32LittleEndian(bytes.Slice(4)),
        BinaryPrimitives.ReadInt32LittleEndian(bytes.Slice(8)),
        BinaryPrimitives.ReadInt32LittleEndian(bytes.Slice(12)),
    ]);
}
