using Xunit;

namespace Reloaded.Messaging.Tests;

public sealed class GuardTests
{
    private static readonly TimeSpan s_second = TimeSpan.FromSeconds(1);

    [Fact]
    public void Values_in_range_are_returned()
    {
        Assert.Equal(3, Guard.AtLeast(3, 3));
        Assert.Equal([3, 5], [Guard.Between(3, 5, 3), Guard.Between(3, 5, 5)]);
        Assert.Equal([0.0, 1.0], [Guard.Between(0.0, 1.0, 0.0), Guard.Between(0.0, 1.0, 1.0)]);
        Assert.Equal([TimeSpan.Zero, s_second], [Guard.Between(TimeSpan.Zero, s_second, TimeSpan.Zero), Guard.Between(TimeSpan.Zero, s_second, s_second)]);
        Assert.Equal(TimeSpan.MaxValue, Guard.Positive(TimeSpan.MaxValue));
        Assert.Equal(s_second, Guard.PositiveUpTo(s_second, s_second));
    }

    [Theory]
    [InlineData(2)]
    [InlineData(int.MinValue)]
    public void AtLeast_of_smaller_number_throws(int value) =>
        AssertThrows(value, $"Size is {value}; the minimum is 3. Pass a larger value.", () => Guard.AtLeast(3, value, "Size"));

    [Theory]
    [InlineData(2)]
    [InlineData(6)]
    public void Between_of_number_outside_throws(int value) =>
        AssertThrows(value, $"Size is {value}; the range is 3 to 5. Pass a value in this range.", () => Guard.Between(3, 5, value, "Size"));

    [Theory]
    [InlineData(-0.1, "-0.1")]
    [InlineData(1.5, "1.5")]
    [InlineData(double.NaN, "NaN")]
    public void Between_of_fraction_outside_throws(double value, string text) =>
        AssertThrows(value, $"Size is {text}; the range is 0 to 1. Pass a value in this range.", () => Guard.Between(0.0, 1.0, value, "Size"));

    [Theory]
    [InlineData(-1)]
    [InlineData(TimeSpan.TicksPerSecond + 1)]
    public void Between_of_time_outside_throws(long ticks)
    {
        var value = new TimeSpan(ticks);
        AssertThrows(value, $"Size is {value}; the range is 00:00:00 to 00:00:01. Pass a time in this range.", () => Guard.Between(TimeSpan.Zero, s_second, value, "Size"));
    }

    [Theory]
    [InlineData(0)]
    [InlineData(-1)]
    public void Positive_of_zero_or_negative_time_throws(long ticks)
    {
        var value = new TimeSpan(ticks);
        AssertThrows(value, $"Size is {value}; the time must be longer than zero. Pass a longer time.", () => Guard.Positive(value, "Size"));
    }

    [Theory]
    [InlineData(0)]
    [InlineData(TimeSpan.TicksPerSecond + 1)]
    public void PositiveUpTo_of_time_outside_throws(long ticks)
    {
        var value = new TimeSpan(ticks);
        AssertThrows(value, $"Size is {value}; the time must be longer than zero and at most 00:00:01. Pass a time in this range.", () => Guard.PositiveUpTo(s_second, value, "Size"));
    }

    private static void AssertThrows(object value, string message, Action check)
    {
        var exception = Assert.Throws<ArgumentOutOfRangeException>("Size", check);
        Assert.Equal(value, exception.ActualValue);
        Assert.StartsWith(message, exception.Message, StringComparison.Ordinal);
    }
}
