using Xunit;

namespace Reloaded.Messaging.Tests.Generated;

public sealed class PayloadReaderTests
{
    public static TheoryData<byte[]> BadUVarints { get; } = new()
    {
        Array.Empty<byte>(),
        new byte[] { 0x80 },
        new byte[] { 0x80, 0x00 },
        new byte[] { 0xFF, 0x00 },
        new byte[] { 0xFF, 0xFF, 0xFF, 0xFF, 0x1F },
        new byte[] { 0x80, 0x80, 0x80, 0x80, 0x80, 0x01 },
    };

    [Theory]
    [MemberData(nameof(BadUVarints))]
    public void A_uvarint_that_is_cut_off_or_too_long_is_refused_wherever_one_is_read(byte[] bytes)
    {
        Assert.False(new PayloadReader(bytes).TryReadUVarint(out _));
        Assert.False(new PayloadReader(bytes).TryReadCount(1, 1, out _));
        Assert.False(new PayloadReader(bytes).TryReadString(out _));
        Assert.False(new PayloadReader(bytes).TryReadRequiredInterned(out _));
        Assert.False(new PayloadReader(bytes).TryEnter(0, out _, out _));
        Assert.False(new PayloadReader(bytes).TryEnterField(-1, out _, out _));
    }

    [Theory]
    [InlineData(1, 3, true)]
    [InlineData(3, 1, true)]
    [InlineData(4, 1, false)]
    [InlineData(2, 2, false)]
    [InlineData(1, 4, false)]
    [InlineData(0, int.MaxValue, true)]
    [InlineData(1, int.MaxValue, false)]
    public void A_count_fits_into_what_is_left_or_is_refused(int count, int itemBytes, bool fits)
    {
        var reader = new PayloadReader([(byte)(count + 1), 1, 2, 3]);
        Assert.Equal(fits, reader.TryReadCount(itemBytes, 1, out var read));
        if (fits)
            Assert.Equal(count, read);
    }

    [Fact]
    public void A_count_of_four_thousand_million_does_not_overflow()
    {
        foreach (var itemBytes in new[] { 1, 2, 4, 16, 1 << 30, int.MaxValue })
            Assert.False(new PayloadReader([0xFF, 0xFF, 0xFF, 0xFF, 0x0F, 1, 2, 3]).TryReadCount(itemBytes, 1, out _));
    }

    [Fact]
    public void Null_is_a_count_of_its_own()
    {
        var reader = new PayloadReader([0, 1]);
        Assert.True(reader.TryReadCount(100, 100, out var count));
        Assert.Equal(-1, count);
        Assert.True(reader.TryReadCount(100, 100, out count));
        Assert.Equal(0, count);
        Assert.True(reader.IsAtEnd);
    }

    [Fact]
    public void The_allowance_is_used_up_once_and_for_all()
    {
        var payload = new byte[10];
        var reader = new PayloadReader(payload);
        Assert.True(reader.TryAllow(PayloadReader.AllocationBase));
        Assert.True(reader.TryAllow(PayloadReader.AllocationFactor * payload.Length));
        Assert.True(reader.TryAllow(0));
        Assert.False(reader.TryAllow(1));
        Assert.False(new PayloadReader(payload).TryAllow(long.MaxValue));
    }

    [Fact]
    public void Items_and_messages_use_up_the_allowance()
    {
        var payload = new byte[40];
        payload.AsSpan().Fill(2);
        payload[0] = 31; // 30 items
        Assert.True(new PayloadReader(payload).TryReadCount(1, 179, out _)); // 30 * 179 = 5370 of 5376
        Assert.False(new PayloadReader(payload).TryReadCount(1, 180, out _));
        Assert.True(new PayloadReader(payload).TryEnter(5376, out _, out _));
        Assert.False(new PayloadReader(payload).TryEnter(5377, out _, out _));
    }

    [Fact]
    public void Blocks_are_read_whole_or_not_at_all()
    {
        var reader = new PayloadReader([1, 0, 2, 0, 3]);
        var values = new ushort[3];
        Assert.False(reader.TryReadBlock(values.AsSpan()));
        Assert.True(reader.TryReadBlock(values.AsSpan(0, 2)));
        Assert.Equal([1, 2, 0], values);
        Assert.True(reader.TryReadBlock(Span<ushort>.Empty));
        Assert.False(reader.TryReadFixed(out ushort _));
        Assert.True(reader.TryReadFixed(out byte last));
        Assert.Equal(3, last);
    }

    [Fact]
    public void Blocks_are_appended_to_lists()
    {
        var reader = new PayloadReader([1, 0, 0, 0, 2, 0, 0, 0, 9]);
        var list = new List<int> { 7 };
        Assert.True(reader.TryReadBlock(list, 2));
        Assert.Equal([7, 1, 2], list);
        Assert.False(new PayloadReader([1, 0, 0]).TryReadBlock(new List<int>(), 1));
    }

    [Fact]
    public void What_is_inside_of_a_message_ends_with_it()
    {
        var reader = new PayloadReader([3, 1, 2, 9]);
        Assert.True(reader.TryEnter(0, out var isNull, out var end));
        Assert.False(isNull);
        Assert.False(reader.TryReadFixed(out uint _));
        Assert.True(reader.TryReadFixed(out byte _));
        reader.Leave(end); // passes over what is left
        Assert.True(reader.TryReadFixed(out byte last));
        Assert.Equal(9, last);
        Assert.False(new PayloadReader([4, 1, 2]).TryEnter(0, out _, out _));
    }

    [Theory]
    [InlineData(-1)]
    [InlineData(int.MinValue)]
    [InlineData(2)] // before the end of what is left
    [InlineData(5)] // behind the payload's
    [InlineData(int.MaxValue)]
    public void A_message_is_not_left_for_an_end_that_is_not_around_it(int outerEnd)
    {
        var error = Assert.Throws<ArgumentOutOfRangeException>(() =>
        {
            var reader = new PayloadReader([3, 1, 2, 9]);
            Assert.True(reader.TryEnter(0, out _, out _));
            reader.Leave(outerEnd);
        });

        Assert.Equal(outerEnd, error.ActualValue);
    }

    [Theory]
    [InlineData(-1, 0, true)]
    [InlineData(0, 0, false)]
    [InlineData(0, 1, true)]
    [InlineData(4, 3, false)]
    [InlineData(4, 4, false)]
    [InlineData(4, 5, true)]
    public void Field_is_entered_only_if_its_number_is_above_the_previous_one(long previous, byte number, bool isEntered) =>
        Assert.Equal(isEntered, new PayloadReader([number, 2, 9]).TryEnterField(previous, out _, out _));

    [Fact]
    public void A_field_that_was_not_read_to_its_end_says_so()
    {
        var reader = new PayloadReader([1, 3, 5, 6]);
        Assert.True(reader.TryEnterField(-1, out var number, out var end));
        Assert.Equal(1u, number);
        Assert.True(reader.TryReadFixed(out byte _));
        Assert.False(reader.TryLeaveField(end));
    }
}
