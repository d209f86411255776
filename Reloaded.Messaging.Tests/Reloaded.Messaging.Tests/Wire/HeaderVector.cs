using System.Globalization;
using Reloaded.Messaging.Wire;

namespace Reloaded.Messaging.Tests.Wire;

/// <summary>One row of the documented valid headers.</summary>
internal sealed record HeaderVector(byte[] Bytes, MessageHeader Header, byte[] Payload)
{
    public static List<HeaderVector> All { get; } = Read();

    public int HeaderSize => Bytes.Length - Payload.Length;

    public static HeaderVector Parse(string[] row)
    {
        var header = new MessageHeader(
            uint.Parse(row[1], CultureInfo.InvariantCulture),
            Enum.Parse<MessageKind>(row[2]),
            uint.Parse(row[3], CultureInfo.InvariantCulture));
        if (row[4] != "-")
            header = header.Compressed(int.Parse(row[4], CultureInfo.InvariantCulture));
        return new HeaderVector(WireFormatPage.Bytes(row[0]), header, WireFormatPage.Bytes(row[5]));
    }

    private static List<HeaderVector> Read()
    {
        var vectors = new List<HeaderVector>();
        foreach (var row in WireFormatPage.Table("Valid headers"))
            vectors.Add(Parse(row));
        return vectors;
    }
}
