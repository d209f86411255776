using System.Buffers.Binary;

namespace Reloaded.Messaging.Tests;

/// <summary>Builds captures of Ethernet packets between ports of the loopback address.</summary>
internal sealed class TestCapture
{
    /// <summary>A frame with the start of a hello: nine bytes.</summary>
    public const string Hello = "08" + "7F0400" + "524C4D33" + "01";

    private readonly List<byte[]> _packets = [];

    public TestCapture Tcp(int from, int to, uint sequence, string payload, bool isStart = false)
    {
        var header = new byte[20];
        WritePorts(header, from, to);
        BinaryPrimitives.WriteUInt32BigEndian(header.AsSpan(4), sequence);
        header[12] = 5 << 4;
        header[13] = (byte)(isStart ? 2 : 16);
        return Add(6, [.. header, .. Convert.FromHexString(payload)]);
    }

    public TestCapture Udp(int from, int to, string payload)
    {
        var bytes = Convert.FromHexString(payload);
        var header = new byte[8];
        WritePorts(header, from, to);
        BinaryPrimitives.WriteUInt16BigEndian(header.AsSpan(4), (ushort)(8 + bytes.Length));
        return Add(17, [.. header, .. bytes]);
    }

    public byte[] ToPcap(uint linkType = 1)
    {
        var file = new List<byte>(UInt32s(0xA1B2C3D4, 0x00040002, 0, 0, 65535, linkType));
        foreach (var packet in _packets)
        {
            file.AddRange(UInt32s(100, 5, (uint)packet.Length, (uint)packet.Length));
            file.AddRange(packet);
        }

        return [.. file];
    }

    public byte[] ToPcapNg()
    {
        var file = new List<byte>(Block(0x0A0D0D0A, UInt32s(0x1A2B3C4D, 1, 0xFFFFFFFF, 0xFFFFFFFF)));
        file.AddRange(Block(1, UInt32s(1, 65535)));
        foreach (var packet in _packets)
            file.AddRange(Block(6, [.. UInt32s(0, 0, 100_000_005, (uint)packet.Length, (uint)packet.Length), .. packet, .. new byte[(4 - (packet.Length % 4)) % 4]]));
        return [.. file];
    }

    private static byte[] Block(uint type, byte[] body)
    {
        var size = (uint)body.Length + 12;
        return [.. UInt32s(type, size), .. body, .. UInt32s(size)];
    }

    private static byte[] UInt32s(params uint[] values)
    {
        var bytes = new byte[4 * values.Length];
        for (var i = 0; i < values.Length; i++)
            BinaryPrimitives.WriteUInt32LittleEndian(bytes.AsSpan(4 * i), values[i]);
        return bytes;
    }

    private static void WritePorts(byte[] header, int from, int to)
    {
        BinaryPrimitives.WriteUInt16BigEndian(header, (ushort)from);
        BinaryPrimitives.WriteUInt16BigEndian(header.AsSpan(2), (ushort)to);
    }

    private TestCapture Add(byte protocol, byte[] transport)
    {
        var header = new byte[20];
        header[0] = 0x45;
        BinaryPrimitives.WriteUInt16BigEndian(header.AsSpan(2), (ushort)(header.Length + transport.Length));
        header[9] = protocol;
        header[12] = header[16] = 127;
        header[15] = header[19] = 1;
        _packets.Add([.. new byte[12], 8, 0, .. header, .. transport]);
        return this;
    }
}
