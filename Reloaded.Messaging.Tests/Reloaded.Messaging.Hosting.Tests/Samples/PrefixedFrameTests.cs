using System;
using System.Linq;
using Reloaded.Messaging.Wire;
using Xunit;

namespace Reloaded.Messaging.Tests.Samples;

public sealed class PrefixedFrameTests
{
    [Theory]
    [InlineData(LengthPrefix.UInt16LittleEndian, 300, "2C01")]
    [InlineData(LengthPrefix.UInt16BigEndian, 300, "012C")]
    [InlineData(LengthPrefix.UInt32LittleEndian, 300, "2C010000")]
    [InlineData(LengthPrefix.UInt32BigEndian, 300, "0000012C")]
    [InlineData(LengthPrefix.UInt16LittleEndian, 65535, "FFFF")]
    [InlineData(LengthPrefix.UInt32BigEndian, 70000, "00011170")]
    public void A_length_is_written_and_read(LengthPrefix prefix, int length, string expected)
    {
        var written = Write(prefix, length);
        ReadOnlySpan<byte> source = [.. written, .. new byte[length], 7];

        var status = PrefixedFrame.TryRead(prefix, ref source, length, out var message);

        Assert.Equal(expected, Convert.ToHexString(written));
        Assert.Equal(FrameStatus.Ok, status);
        Assert.Equal(length, message.Length);
        Assert.Equal(7, source[0]);
    }

    [Theory]
    [MemberData(nameof(Prefixes))]
    public void A_frame_that_has_not_come_whole_is_left_where_it_is(LengthPrefix prefix)
    {
        byte[] whole = [.. Write(prefix, 200), .. new byte[200]];
        for (var come = 0; come < whole.Length; come++)
        {
            ReadOnlySpan<byte> source = whole.AsSpan(0, come);
            Assert.Equal(FrameStatus.Incomplete, PrefixedFrame.TryRead(prefix, ref source, 200, out _));
            Assert.Equal(come, source.Length);
        }
    }

    [Theory]
    [MemberData(nameof(Prefixes))]
    public void A_length_above_the_limit_is_refused_before_its_bytes_come(LengthPrefix prefix)
    {
        ReadOnlySpan<byte> source = Write(prefix, 201);

        Assert.Equal(FrameStatus.TooLarge, PrefixedFrame.TryRead(prefix, ref source, 200, out _));
    }

    [Theory]
    [InlineData(LengthPrefix.UInt32LittleEndian)]
    [InlineData(LengthPrefix.UInt32BigEndian)]
    public void A_length_of_four_gigabytes_is_too_large(LengthPrefix prefix)
    {
        ReadOnlySpan<byte> source = [0xFF, 0xFF, 0xFF, 0xFF, 0, 0];

        Assert.Equal(FrameStatus.TooLarge, PrefixedFrame.TryRead(prefix, ref source, int.MaxValue, out _));
    }

    [Theory]
    [MemberData(nameof(Prefixes))]
    public void An_empty_frame_is_malformed(LengthPrefix prefix)
    {
        ReadOnlySpan<byte> source = new byte[8];

        Assert.Equal(FrameStatus.Malformed, PrefixedFrame.TryRead(prefix, ref source, 200, out _));
    }

    [Fact]
    public void Two_bytes_limit_what_a_message_may_be()
    {
        Assert.Equal(65535, PrefixedFrame.GetLimits(LengthPrefix.UInt16BigEndian).MaxMessageSize);
        Assert.Same(MessageLimits.Default, PrefixedFrame.GetLimits(LengthPrefix.UInt32BigEndian));
        Assert.Throws<OverflowException>(() => Write(LengthPrefix.UInt16LittleEndian, 65536));
    }

    private static byte[] Write(LengthPrefix prefix, int length)
    {
        var written = new byte[PrefixedFrame.SizeOf(prefix)];
        PrefixedFrame.WriteLength(prefix, written, length);
        return written;
    }

    public static TheoryData<LengthPrefix> Prefixes() => new(Enum.GetValues<LengthPrefix>().AsEnumerable());
}
