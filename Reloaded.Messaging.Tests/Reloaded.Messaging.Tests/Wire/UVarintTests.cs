using System.Globalization;
using Reloaded.Messaging.Wire;
using Xunit;

namespace Reloaded.Messaging.Tests.Wire;

public sealed class UVarintTests
{
    public static TheoryData<string, uint> Valid { get; } = ReadValid();

    public static TheoryData<string, HeaderStatus> Malformed { get; } = ReadMalformed();

    [Theory]
    [MemberData(nameof(Valid))]
    public void A_documented_uvarint_reads_as_its_value_and_writes_as_its_bytes(string hex, uint expected)
    {
        var bytes = WireFormatPage.Bytes(hex);

        Assert.Equal(HeaderStatus.Ok, UVarint.TryRead(bytes, out var value, out var size));
        Assert.Equal(expected, value);
        Assert.Equal(bytes.Length, size);

        var written = new byte[UVarint.MaxSize];
        Assert.Equal(bytes.Length, UVarint.Write(written, expected));
        Assert.Equal(bytes, written.AsSpan(0, bytes.Length).ToArray());
        Assert.Equal(bytes.Length, UVarint.SizeOf(expected));
    }

    [Theory]
    [MemberData(nameof(Valid))]
    public void Bytes_behind_a_uvarint_are_left_alone(string hex, uint expected)
    {
        var bytes = WireFormatPage.Bytes(hex);
        foreach (var next in new byte[] { 0x00, 0x7F, 0x80, 0xFF })
        {
            Assert.Equal(HeaderStatus.Ok, UVarint.TryRead([.. bytes, next], out var value, out var size));
            Assert.Equal(expected, value);
            Assert.Equal(bytes.Length, size);
        }
    }

    [Theory]
    [MemberData(nameof(Valid))]
    public void Every_truncation_of_a_uvarint_is_truncated(string hex, uint expected)
    {
        var bytes = WireFormatPage.Bytes(hex);
        Assert.Equal(bytes.Length, UVarint.SizeOf(expected));
        for (var length = 0; length < bytes.Length; length++)
        {
            Assert.Equal(HeaderStatus.Truncated, UVarint.TryRead(bytes.AsSpan(0, length), out var value, out var size));
            Assert.Equal(0u, value);
            Assert.Equal(0, size);
        }
    }

    [Theory]
    [MemberData(nameof(Valid))]
    public void A_uvarint_that_is_longer_than_it_needs_to_be_is_refused(string hex, uint expected)
    {
        var bytes = WireFormatPage.Bytes(hex);
        bytes[^1] |= 0x80;

        Assert.Equal(HeaderStatus.BadVarint, UVarint.TryRead([.. bytes, 0x00], out var value, out _));
        Assert.Equal(0u, value);
        Assert.Equal(bytes.Length, UVarint.SizeOf(expected));
    }

    [Theory]
    [MemberData(nameof(Malformed))]
    public void A_documented_malformed_uvarint_gets_its_verdict(string hex, HeaderStatus expected)
    {
        Assert.Equal(expected, UVarint.TryRead(WireFormatPage.Bytes(hex), out var value, out var size));
        Assert.Equal(0u, value);
        Assert.Equal(0, size);
    }

    [Fact]
    public void A_uvarint_takes_one_byte_more_from_each_power_of_128_on()
    {
        for (var bytes = 1; bytes < UVarint.MaxSize; bytes++)
        {
            var first = 1u << (7 * bytes);
            Assert.Equal(bytes, UVarint.SizeOf(first - 1));
            Assert.Equal(bytes + 1, UVarint.SizeOf(first));
        }

        Assert.Equal(UVarint.MaxSize, UVarint.SizeOf(uint.MaxValue));
    }

    [Fact]
    public void Writing_to_too_little_room_throws()
    {
        Assert.Throws<IndexOutOfRangeException>(static () => UVarint.Write([], 0));
        Assert.Throws<IndexOutOfRangeException>(static () => UVarint.Write(new byte[1], 128));
        Assert.Throws<IndexOutOfRangeException>(static () => UVarint.Write(new byte[4], uint.MaxValue));
    }

    private static TheoryData<string, uint> ReadValid()
    {
        var data = new TheoryData<string, uint>();
        foreach (var row in WireFormatPage.Table("Valid uvarints"))
            data.Add(row[0], uint.Parse(row[1], CultureInfo.InvariantCulture));
        return data;
    }

    private static TheoryData<string, HeaderStatus> ReadMalformed()
    {
        var data = new TheoryData<string, HeaderStatus>();
        foreach (var row in WireFormatPage.Table("Malformed uvarints"))
            data.Add(row[0], Enum.Parse<HeaderStatus>(row[1]));
        return data;
    }
}
