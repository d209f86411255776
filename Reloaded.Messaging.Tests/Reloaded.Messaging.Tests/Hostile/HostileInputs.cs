using System.Buffers.Binary;
using Reloaded.Messaging.Wire;

namespace Reloaded.Messaging.Tests.Hostile;

/// <summary>An endless, repeatable row of messages as a bad peer would send them: broken good ones for the most part, and noise.</summary>
internal sealed class HostileInputs(HostileSeed[] seeds, ulong seed)
{
    private readonly Noise _noise = new(seed);
    private readonly byte[] _buffer = new byte[4 * HostileTargets.MaxMessageSize];

    /// <summary>The next message. Valid until the one after it.</summary>
    public ReadOnlySpan<byte> Next()
    {
        var length = _noise.Below(128) switch
        {
            < 40 => Good(Pick()),
            < 58 => FlippedBits(Pick()),
            < 70 => Truncated(Pick()),
            < 80 => Extended(Pick()),
            < 92 => LyingAboutSize(Pick()),
            < 100 => Spliced(Pick(), Pick()),
            < 112 => Random(_noise.Below(40)),
            < 126 => RandomBehindGoodHeader(Pick()),
            126 => 0,
            _ => Random(HostileTargets.MaxMessageSize - 4 + _noise.Below(64)),
        };
        return _buffer.AsSpan(0, length);
    }

    private HostileSeed Pick() => seeds[_noise.Below(seeds.Length)];

    private int Good(HostileSeed from)
    {
        from.Bytes.CopyTo(_buffer, 0);
        return from.Bytes.Length;
    }

    private int FlippedBits(HostileSeed from)
    {
        var length = Good(from);
        for (var i = _noise.Below(3); i >= 0; i--)
            _buffer[_noise.Below(length)] ^= (byte)(1 << _noise.Below(8));
        return length;
    }

    private int Truncated(HostileSeed from) => _noise.Below(Good(from));

    private int Extended(HostileSeed from)
    {
        var length = Good(from);
        var more = 1 + _noise.Below(12);
        _noise.Fill(_buffer.AsSpan(length, more));
        return length + more;
    }

    private int Spliced(HostileSeed first, HostileSeed second)
    {
        var head = _noise.Below(first.Bytes.Length + 1);
        var tail = second.Bytes.AsSpan(_noise.Below(second.Bytes.Length));
        first.Bytes.AsSpan(0, head).CopyTo(_buffer);
        tail.CopyTo(_buffer.AsSpan(head));
        return head + tail.Length;
    }

    private int Random(int length)
    {
        _noise.Fill(_buffer.AsSpan(0, length));
        return length;
    }

    private int RandomBehindGoodHeader(HostileSeed from)
    {
        from.Bytes.AsSpan(0, from.HeaderSize).CopyTo(_buffer);
        return from.HeaderSize + FillBehind(from.HeaderSize, _noise.Below(64));
    }

    private int FillBehind(int start, int length)
    {
        _noise.Fill(_buffer.AsSpan(start, length));
        return length;
    }

    private int LyingAboutSize(HostileSeed from)
    {
        var size = _noise.Below(10) switch
        {
            0 => 0,
            1 => 1,
            2 => from.Header.DecompressedSize - 1,
            3 => from.Header.DecompressedSize + 1,
            4 => HostileTargets.MaxDecompressedSize,
            5 => HostileTargets.MaxDecompressedSize + 1,
            6 => int.MaxValue,
            7 => int.MinValue,
            8 => _noise.Below(HostileTargets.MaxDecompressedSize),
            _ => (int)_noise.Next(),
        };

        int header;
        if (from.Header.IsShort)
        {
            _buffer[0] = (byte)(from.Header.Type | 0x80);
            BinaryPrimitives.WriteInt32LittleEndian(_buffer.AsSpan(1), size);
            header = 5;
        }
        else
        {
            header = from.Header.Compressed(0).Write(_buffer) - 1; // the size is last, and 0 takes one byte
            header += UVarint.Write(_buffer.AsSpan(header), (uint)size);
        }

        from.Payload.CopyTo(_buffer.AsSpan(header));
        return header + from.Payload.Length;
    }
}
