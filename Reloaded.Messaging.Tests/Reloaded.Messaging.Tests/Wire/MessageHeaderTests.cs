using Reloaded.Messaging.Wire;
using Xunit;

namespace Reloaded.Messaging.Tests.Wire;

public sealed class MessageHeaderTests
{
    public static TheoryData<int> Valid { get; } = [.. Indices()];

    public static TheoryData<string, HeaderStatus> Malformed { get; } = ReadMalformed();

    [Theory]
    [MemberData(nameof(Valid))]
    public void A_documented_header_reads_as_what_it_means(int index)
    {
        var vector = HeaderVector.All[index];

        Assert.Equal(HeaderStatus.Ok, MessageHeader.TryRead(vector.Bytes, out var header, out var size));
        Assert.Equal(vector.Header.Type, header.Type);
        Assert.Equal(vector.Header.Kind, header.Kind);
        Assert.Equal(vector.Header.CorrelationId, header.CorrelationId);
        Assert.Equal(vector.Header.IsCompressed, header.IsCompressed);
        Assert.Equal(vector.Header.DecompressedSize, header.DecompressedSize);
        Assert.Equal(vector.Payload, vector.Bytes.AsSpan(size).ToArray());
    }

    [Theory]
    [MemberData(nameof(Valid))]
    public void A_documented_header_is_written_as_its_bytes(int index)
    {
        var vector = HeaderVector.All[index];
        var written = new byte[MessageHeader.MaxSize];

        Assert.Equal(vector.HeaderSize, vector.Header.Size);
        Assert.Equal(vector.HeaderSize, vector.Header.Write(written));
        Assert.Equal(vector.Bytes.AsSpan(0, vector.HeaderSize).ToArray(), written.AsSpan(0, vector.HeaderSize).ToArray());
        Assert.Equal(vector.Bytes[0] is not (0x7F or 0xFF), vector.Header.IsShort);
    }

    [Theory]
    [MemberData(nameof(Valid))]
    public void A_documented_message_is_packed_as_its_bytes(int index)
    {
        var vector = HeaderVector.All[index];
        using var packed = new MessageWriter().PackRaw(vector.Header, vector.Payload);
        Assert.Equal(vector.Bytes, packed.Span.ToArray());
    }

    [Theory]
    [MemberData(nameof(Valid))]
    public void Every_truncation_of_a_header_is_truncated_or_empty(int index)
    {
        var vector = HeaderVector.All[index];
        for (var length = 0; length < vector.HeaderSize; length++)
        {
            var expected = length == 0 ? HeaderStatus.Empty : HeaderStatus.Truncated;
            Assert.Equal(expected, MessageHeader.TryRead(vector.Bytes.AsSpan(0, length), out var header, out var size));
            Assert.Equal(default, header);
            Assert.Equal(0, size);
        }
    }

    [Theory]
    [MemberData(nameof(Valid))]
    public void A_header_is_not_written_to_too_little_room(int index)
    {
        var vector = HeaderVector.All[index];
        Assert.Throws<ArgumentOutOfRangeException>(() => vector.Header.Write(new byte[vector.HeaderSize - 1]));
    }

    [Theory]
    [MemberData(nameof(Malformed))]
    public void A_documented_malformed_header_gets_its_verdict(string hex, HeaderStatus expected)
    {
        Assert.Equal(expected, MessageHeader.TryRead(WireFormatPage.Bytes(hex), out var header, out var size));
        Assert.Equal(default, header);
        Assert.Equal(0, size);
    }

    [Fact]
    public void The_documented_headers_cover_every_kind_and_every_verdict()
    {
        var kinds = new HashSet<(MessageKind, bool)>();
        foreach (var vector in HeaderVector.All)
            kinds.Add((vector.Header.Kind, vector.Header.IsCompressed));
        Assert.Equal(2 * Enum.GetValues<MessageKind>().Length, kinds.Count);

        var verdicts = new HashSet<HeaderStatus> { HeaderStatus.Ok };
        foreach (var row in WireFormatPage.Table("Malformed headers"))
            verdicts.Add(Enum.Parse<HeaderStatus>(row[1]));
        Assert.Equal(Enum.GetValues<HeaderStatus>().Length, verdicts.Count);
    }

    [Fact]
    public void Every_first_byte_is_a_type_or_announces_the_extended_form()
    {
        for (var first = 0; first < 256; first++)
        {
            byte[] message = [(byte)first, 1, 0, 0, 0];
            var status = MessageHeader.TryRead(message, out var header, out var size);

            Assert.Equal(HeaderStatus.Ok, status);
            Assert.Equal((first & 0x80) != 0, header.IsCompressed);
            if ((first & 0x7F) == 127)
            {
                Assert.Equal(MessageKind.Request, header.Kind);
                continue;
            }

            Assert.Equal((uint)first & 0x7F, header.Type);
            Assert.Equal(MessageKind.Event, header.Kind);
            Assert.Equal(first < 128 ? 1 : 5, size);
            Assert.Equal(first < 128 ? 0 : 1, header.DecompressedSize);
        }
    }

    [Fact]
    public void Every_second_byte_of_an_extended_header_is_a_kind_or_refused()
    {
        for (var second = 0; second < 256; second++)
        {
            var expected = second switch
            {
                0 => HeaderStatus.NotShortest,
                <= 4 => HeaderStatus.Ok,
                < 8 => HeaderStatus.ReservedKind,
                _ => HeaderStatus.ReservedBits,
            };
            Assert.Equal(expected, MessageHeader.TryRead([0x7F, (byte)second, 3, 42], out var header, out _));
            Assert.Equal(expected == HeaderStatus.Ok ? (MessageKind)second : default, header.Kind);
        }
    }

    [Fact]
    public void The_longest_header_has_the_documented_size()
    {
        var longest = new MessageHeader(uint.MaxValue, MessageKind.Fault, uint.MaxValue).Compressed(int.MaxValue);
        Assert.Equal(17, MessageHeader.MaxSize);
        Assert.Equal(MessageHeader.MaxSize, longest.Size);
    }

    [Fact]
    public void A_header_that_could_not_be_written_can_not_be_made()
    {
        Assert.Throws<ArgumentOutOfRangeException>(static () => new MessageHeader(3, (MessageKind)5));
        Assert.Throws<ArgumentOutOfRangeException>(static () => new MessageHeader(3, MessageKind.Event, 1));
        Assert.Throws<ArgumentOutOfRangeException>(static () => new MessageHeader(3, MessageKind.Control, 1));
        Assert.Throws<ArgumentOutOfRangeException>(static () => new MessageHeader(3).Compressed(-1));
    }

    /// <summary>The short way of a dispatcher accepts what the complete reader accepts: all types of two and three bytes, in every form.</summary>
    [Fact]
    public void TryReadPlainEvent_reads_what_TryRead_reads()
    {
        byte[] message = [MessageHeader.ExtendedMarker, (byte)MessageKind.Event, 0, 0, 0, 0, 0, 0];
        for (var bytes = 0; bytes < 1 << 24; bytes++)
        {
            (message[2], message[3], message[4]) = ((byte)bytes, (byte)(bytes >> 8), (byte)(bytes >> 16));
            var isRead = MessageHeader.TryRead(message, out var header, out var size) == HeaderStatus.Ok && header.Type is >= 128 and <= ushort.MaxValue;
            if (isRead != MessageHeader.TryReadPlainEvent(message, out var type, out var plainSize) || (isRead && (header.Type, size) != (type, plainSize)))
                Assert.Fail($"{message[2]:X2} {message[3]:X2} {message[4]:X2}: {isRead}, {header}; plain {type} of {plainSize} bytes.");
        }
    }

    private static IEnumerable<int> Indices()
    {
        for (var i = 0; i < HeaderVector.All.Count; i++)
            yield return i;
    }

    private static TheoryData<string, HeaderStatus> ReadMalformed()
    {
        var data = new TheoryData<string, HeaderStatus>();
        foreach (var row in WireFormatPage.Table("Malformed headers"))
            data.Add(row[0], Enum.Parse<HeaderStatus>(row[1]));
        return data;
    }
}
