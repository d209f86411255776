using Xunit;

namespace Reloaded.Messaging.Tests.Newer;

// The types of the framework that netstandard2.1 lacks.

[Message]
public sealed record HalfForm(Half Value);

[Message]
public sealed record Int128Form(Int128 Value);

[Message]
public sealed record UInt128Form(UInt128 Value);

[Message]
public sealed record DateOnlyForm(DateOnly Value);

[Message]
public sealed record TimeOnlyForm(TimeOnly Value);

[Message]
public sealed record DatesForm(DateOnly? First, List<TimeOnly> Times, Dictionary<DateOnly, Int128> Numbers);

public sealed class NewerTypeTests
{
    [Fact]
    public void Value_is_sent_as_the_page_says_and_read_back()
    {
        AssertBytes(new HalfForm((Half)(-2.5)), "00C1");
        foreach (var bits in new ushort[] { 0x7C01, 0x7E01, 0xFE00, 0x8000, 1 }) // three kinds of NaN, negative zero, and the smallest number
            Assert.Equal(bits, BitConverter.HalfToUInt16Bits(Generated.Payload.Read<HalfForm>(Generated.Payload.Of(new HalfForm(BitConverter.UInt16BitsToHalf(bits)))).Value));
        AssertBytes(new Int128Form(-2), "FEFFFFFFFFFFFFFFFFFFFFFFFFFFFFFF");
        AssertBytes(new Int128Form(new Int128(1, 2)), "02000000000000000100000000000000");
        AssertBytes(new UInt128Form(UInt128.MaxValue), "FFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFF");
        AssertBytes(new DateOnlyForm(new DateOnly(2000, 1, 1)), "07240B00");
        AssertBytes(new DateOnlyForm(DateOnly.MaxValue), "DAB93700");
        AssertBytes(new TimeOnlyForm(TimeOnly.MaxValue), "FFBF692AC9000000");
    }

    [Fact]
    public void Values_in_collections_are_read_back()
    {
        var sent = new DatesForm(DateOnly.MinValue.AddDays(1), [new TimeOnly(2)], new Dictionary<DateOnly, Int128> { [DateOnly.MaxValue] = 3 });

        var read = RoundTrip(sent, "010100000002020000000000000002DAB9370003000000000000000000000000000000");

        Assert.Equal(sent.First, read.First);
        Assert.Equal(sent.Times, read.Times);
        Assert.Equal(sent.Numbers, read.Numbers);
    }

    [Theory]
    [InlineData("DBB93700")] // a day after the year 9999
    [InlineData("FFFFFFFF")] // a day before the year 1
    [InlineData("07240B")]
    public void Date_out_of_range_is_refused(string payload) => AssertRefused<DateOnlyForm>(payload);

    [Theory]
    [InlineData("00C0692AC9000000")] // 24 hours
    [InlineData("FFFFFFFFFFFFFFFF")] // before midnight
    [InlineData("FFBF692AC90000")]
    public void Time_out_of_range_is_refused(string payload) => AssertRefused<TimeOnlyForm>(payload);

    private static void AssertRefused<T>(string payload) =>
        Assert.False(MessageContract.GetDeclared<T>().Serializer.TryDeserialize(Convert.FromHexString(payload), out _));

    private static void AssertBytes<T>(T message, string payload) => Assert.Equal(message, RoundTrip(message, payload));

    private static T RoundTrip<T>(T message, string payload)
    {
        using var packed = new MessageWriter().Pack(new MessageContract<T>(3, MessageContract.GetDeclared<T>().Serializer), message);

        Assert.Equal(payload, Convert.ToHexString(packed.Span.Slice(1)));
        Assert.True(MessageContract.GetDeclared<T>().Serializer.TryDeserialize(packed.Span.Slice(1), out var read));
        return read;
    }
}
