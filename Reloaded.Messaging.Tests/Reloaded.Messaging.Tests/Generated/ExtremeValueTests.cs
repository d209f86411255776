using Xunit;

namespace Reloaded.Messaging.Tests.Generated;

public sealed class ExtremeValueTests
{
    [Fact]
    public void Times_of_every_kind_and_from_the_first_to_the_last_arrive()
    {
        foreach (var kind in new[] { DateTimeKind.Unspecified, DateTimeKind.Utc })
        {
            foreach (var ticks in new[] { 0, 1, DateTime.UnixEpoch.Ticks, DateTime.MaxValue.Ticks })
            {
                var time = Payload.Read<DateTimeForm>(Payload.Of(new DateTimeForm(new DateTime(ticks, kind)))).Value;
                Assert.Equal((ticks, kind), (time.Ticks, time.Kind));
            }
        }
    }

    [Theory]
    [InlineData("2026-01-15T12:00:00")]
    [InlineData("2026-07-15T12:00:00")]
    [InlineData("2026-10-25T02:30:00")] // twice in a large part of the world
    public void A_local_time_arrives_as_a_local_time(string text)
    {
        var sent = DateTime.SpecifyKind(DateTime.Parse(text, System.Globalization.CultureInfo.InvariantCulture), DateTimeKind.Local);
        var time = Payload.Read<DateTimeForm>(Payload.Of(new DateTimeForm(sent))).Value;
        Assert.Equal((sent, DateTimeKind.Local), (time, time.Kind));
    }

    [Theory]
    [InlineData(-14 * 60)]
    [InlineData(-1)]
    [InlineData(0)]
    [InlineData(345)]
    [InlineData(14 * 60)]
    public void Moments_arrive_with_their_offset(int minutes)
    {
        var offset = TimeSpan.FromMinutes(minutes);
        foreach (var ticks in new[] { Math.Max(0, offset.Ticks), DateTime.UnixEpoch.Ticks, Math.Min(DateTime.MaxValue.Ticks, DateTime.MaxValue.Ticks + offset.Ticks) })
        {
            var sent = new DateTimeOffset(ticks, offset);
            Assert.True(sent.EqualsExact(Payload.Read<DateTimeOffsetForm>(Payload.Of(new DateTimeOffsetForm(sent))).Value), $"{sent:O}");
        }
    }

    [Fact]
    public void Decimals_arrive_to_the_bit()
    {
        foreach (var sent in new[]
        {
            0m, 0.00m, new decimal(0, 0, 0, true, 28), decimal.MinValue, decimal.MaxValue, decimal.One, -1.10m,
            new decimal(1, 0, 0, false, 28), new decimal(-1, -1, -1, true, 28), new decimal(0, 1, 0, false, 5), new decimal(0, 0, 1, true, 0),
        })
        {
            Assert.Equal(decimal.GetBits(sent), decimal.GetBits(Payload.Read<DecimalForm>(Payload.Of(new DecimalForm(sent))).Value));
        }
    }

    [Fact]
    public void Numbers_arrive_to_the_bit()
    {
        foreach (var sent in new[] { double.NaN, -0.0, double.Epsilon, double.NegativeInfinity, BitConverter.Int64BitsToDouble(0x7FF0000000000001) })
            Assert.Equal(BitConverter.DoubleToInt64Bits(sent), BitConverter.DoubleToInt64Bits(Payload.Read<DoubleForm>(Payload.Of(new DoubleForm(sent))).Value));
        foreach (var sent in new[] { float.NaN, -0f, float.Epsilon, float.MaxValue })
            Assert.Equal(BitConverter.SingleToInt32Bits(sent), BitConverter.SingleToInt32Bits(Payload.Read<SingleForm>(Payload.Of(new SingleForm(sent))).Value));
        Assert.Equal((Level)12345, Payload.Read<EnumForm>(Payload.Of(new EnumForm((Level)12345))).Value);
        Assert.Equal('\uD800', Payload.Read<CharForm>(Payload.Of(new CharForm('\uD800'))).Value);
        Assert.Equal(TimeSpan.MinValue, Payload.Read<TimeSpanForm>(Payload.Of(new TimeSpanForm(TimeSpan.MinValue))).Value);
    }

    [Fact]
    public void Empty_and_null_collections_stay_apart()
    {
        Assert.Null(Payload.Read<ArrayForm>(Payload.Of(new ArrayForm(null))).Value);
        Assert.Empty(Payload.Read<ArrayForm>(Payload.Of(new ArrayForm([]))).Value!);
        Assert.Null(Payload.Read<NotificationBatch>(Payload.Of(new NotificationBatch())).Extra);
        Assert.Empty(Payload.Read<NotificationBatch>(Payload.Of(new NotificationBatch { Extra = [] })).Extra!);
    }

    [Theory]
    [InlineData(30)]
    [InlineData(127)]
    [InlineData(5000)]
    public void Collections_whose_count_and_length_take_more_bytes_arrive(int count)
    {
        var numbers = new int[count];
        var names = new List<string?>();
        var map = new Dictionary<string, int>();
        for (var i = 0; i < count; i++)
        {
            numbers[i] = i;
            names.Add(i % 3 == 0 ? null : $"name {i}");
            map.Add($"key {i}", i);
        }

        Assert.Equal(numbers, Payload.Read<ArrayForm>(Payload.Of(new ArrayForm(numbers))).Value);
        Assert.Equal(names, Payload.Read<ListForm>(Payload.Of(new ListForm(names))).Value);
        Assert.Equal(map, Payload.Read<DictionaryForm>(Payload.Of(new DictionaryForm(map))).Value);
        Assert.Equal("blue", Payload.Read<NestedSquareForm>(Payload.Of(new NestedSquareForm(new Square(1, "blue")))).Value!.Color);
        var color = new string('x', count * 10);
        Assert.Equal(color, Payload.Read<NestedSquareForm>(Payload.Of(new NestedSquareForm(new Square(1, color)))).Value!.Color);
    }

    [Fact]
    public void A_report_that_is_long_travels_compressed_and_arrives()
    {
        var report = new Report(new string('r', 5000));
        Assert.Equal(report, RoundTripTests.RoundTrip(report));
        Assert.Equal(2, MessageContract.GetDeclared<Report>().Version);
    }
}
