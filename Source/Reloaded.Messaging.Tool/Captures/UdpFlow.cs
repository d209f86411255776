using System;
using System.Buffers.Binary;
using System.Globalization;

namespace Reloaded.Messaging.Tool;

/// <summary>Prints the messages in the datagrams of one connection, after its first datagram showed that it belongs to this library.</summary>
internal sealed class UdpFlow(Dump dump, bool isChosen)
{
    private const int ConnectionSize = 8;

    private bool _isRecognized = isChosen;
    private bool _isSealed;

    private static ReadOnlySpan<byte> Hello => [1, (byte)'R', (byte)'M', (byte)'U', 1];

    public void Add(ReadOnlySpan<byte> datagram, string prefix)
    {
        _isRecognized |= datagram.StartsWith(Hello);
        if (!_isRecognized || datagram.IsEmpty)
            return;
        switch (datagram[0])
        {
            case >= 1 and <= 5:
                dump.Note($"{prefix}datagram {NameStep(datagram[0])}");
                break;
            case 6 when datagram.Length > 1 + ConnectionSize:
                PrintPart(datagram[1 + ConnectionSize], datagram.Slice(2 + ConnectionSize), prefix);
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

    private void PrintPart(byte part, ReadOnlySpan<byte> body, string prefix)
    {
        const int SegmentHeader = 5;
        const int FragmentHeader = 6;
        switch (part)
        {
            case 0:
                PrintWhole(body, prefix);
                break;
            case 1 when body.Length > SegmentHeader:
                PrintWhole(body.Slice(SegmentHeader), prefix);
                break;
            case 2:
                break; // an acknowledgement
            case 3 when body.Length > FragmentHeader:
                dump.Note(string.Create(CultureInfo.InvariantCulture, $"{prefix}fragment {body[4] + 1} of {body[5]} of message {BinaryPrimitives.ReadUInt32LittleEndian(body)}, {body.Length - FragmentHeader} bytes"));
                break;
            case 5:
                dump.Note($"{prefix}close");
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
}
