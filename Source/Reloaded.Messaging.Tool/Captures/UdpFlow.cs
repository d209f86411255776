using System.Buffers.Binary;
using System.Globalization;
using System.Runtime.InteropServices;

namespace Reloaded.Messaging.Tool;

/// <summary>Prints the messages in the datagrams of one connection, after its first datagram showed that it belongs to this library.</summary>
internal sealed class UdpFlow(Dump dump, bool isChosen)
{
    private const int PlainHeader = 17; // kind, connection and number
    private const int PartHeader = 3;

    private readonly Dictionary<string, OrderedData> _data = [];

    private bool _isRecognized = isChosen;
    private bool _isSealed;

    private static ReadOnlySpan<byte> Hello => [1, (byte)'R', (byte)'M', (byte)'U', 1];

    /// <param name="datagram">The datagram.</param>
    /// <param name="sender">The sender, which identifies the direction.</param>
    /// <param name="prefix">The start of each line.</param>
    public void Add(ReadOnlySpan<byte> datagram, string sender, string prefix)
    {
        _isRecognized |= datagram.StartsWith(Hello);
        if (!_isRecognized || datagram.IsEmpty)
            return;
        switch (datagram[0])
        {
            case >= 1 and <= 5:
                dump.Note($"{prefix}datagram {NameStep(datagram[0])}");
                break;
            case 6 when datagram.Length > PlainHeader:
                PrintParts(datagram.Slice(PlainHeader), sender, prefix);
                break;
            case 7:
                if (!_isSealed)
                    dump.Note($"{prefix}encrypted by Protection; the tool cannot decode it");
                _isSealed = true;
                break;
            default:
                dump.Fail($"{prefix}malformed datagram");
                break;
        }
    }

    private void PrintParts(ReadOnlySpan<byte> parts, string sender, string prefix)
    {
        while (!parts.IsEmpty)
        {
            var size = parts.Length < PartHeader ? int.MaxValue : PartHeader + BinaryPrimitives.ReadUInt16LittleEndian(parts.Slice(1));
            if (size > parts.Length)
            {
                dump.Fail($"{prefix}malformed datagram");
                return;
            }

            PrintPart(parts[0], parts[PartHeader..size], sender, prefix);
            parts = parts.Slice(size);
        }
    }

    private void PrintPart(byte part, ReadOnlySpan<byte> body, string sender, string prefix)
    {
        const int DataHeader = 9;
        const int SequencedHeader = 5;
        const int FragmentHeader = 6;
        switch (part)
        {
            case 0 or 2 or 4:
                break; // a ping, an acknowledgement or room
            case 1:
                dump.Note($"{prefix}close");
                break;
            case 3 when body.Length > DataHeader:
                if (!_data.TryGetValue(sender, out var data))
                    _data[sender] = data = new OrderedData();
                data.Add(BinaryPrimitives.ReadInt64LittleEndian(body.Slice(1)), body.Slice(DataHeader));
                data.Bytes.RemoveRange(0, dump.PrintFrames(prefix, CollectionsMarshal.AsSpan(data.Bytes)) ?? data.Bytes.Count);
                break;
            case 5:
                PrintWhole(body, prefix);
                break;
            case 6 when body.Length > SequencedHeader:
                PrintWhole(body.Slice(SequencedHeader), prefix);
                break;
            case 7 or 8 when body.Length > FragmentHeader:
                dump.Note(string.Create(CultureInfo.InvariantCulture, $"{prefix}fragment {body[4] + 1} of {body[5]} of message {BinaryPrimitives.ReadUInt32LittleEndian(body)}, {body.Length - FragmentHeader} bytes"));
                break;
            default:
                dump.Fail($"{prefix}malformed part {part}");
                break;
        }
    }

    private void PrintWhole(ReadOnlySpan<byte> frames, string prefix)
    {
        if (dump.PrintFrames(prefix, frames) is { } read && read < frames.Length)
            dump.Fail($"{prefix}the datagram ends inside a frame");
    }

    private static string NameStep(byte first) => first switch
    {
        1 => "hello",
        2 => "cookie",
        3 => "connect",
        4 => "accept",
        _ => "refuse",
    };

    /// <summary>The ordered bytes of one direction: those that are next, and those that were captured early.</summary>
    private sealed class OrderedData
    {
        private readonly SortedList<long, byte[]> _early = [];
        private long _next;

        /// <summary>The bytes in order that were not printed yet.</summary>
        public List<byte> Bytes { get; } = [];

        public void Add(long offset, ReadOnlySpan<byte> bytes)
        {
            if (!_early.TryGetValue(offset, out var known) || known.Length < bytes.Length)
                _early[offset] = bytes.ToArray();
            while (_early.Count > 0 && _early.Keys[0] <= _next)
            {
                var (start, first) = (_early.Keys[0], _early.Values[0]);
                _early.RemoveAt(0);
                if (start + first.Length <= _next)
                    continue; // sent again
                Bytes.AddRange(first.AsSpan((int)(_next - start)));
                _next = start + first.Length;
            }
        }
    }
}
