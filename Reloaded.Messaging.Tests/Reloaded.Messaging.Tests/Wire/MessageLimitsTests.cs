using Xunit;

namespace Reloaded.Messaging.Tests.Contracts;

public sealed class MessageLimitsTests
{
    [Fact]
    public void The_default_is_a_mebibyte() =>
        Assert.Equal((1_048_576, 1_048_576), (MessageLimits.Default.MaxMessageSize, MessageLimits.Default.MaxDecompressedSize));

    [Theory]
    [InlineData(128)]
    [InlineData(2_147_483_591)]
    public void The_ends_of_the_range_are_accepted(int size)
    {
        var limits = new MessageLimits { MaxMessageSize = size, MaxDecompressedSize = size };

        Assert.Equal((size, size), (limits.MaxMessageSize, limits.MaxDecompressedSize));
    }

    [Theory]
    [InlineData(0)]
    [InlineData(127)]
    [InlineData(-1)]
    [InlineData(2_147_483_592)]
    [InlineData(int.MinValue)]
    public void What_is_outside_of_it_is_refused_by_value_and_limit(int size)
    {
        var message = Assert.Throws<ArgumentOutOfRangeException>(() => new MessageLimits { MaxMessageSize = size });
        var decompressed = Assert.Throws<ArgumentOutOfRangeException>(() => new MessageLimits { MaxDecompressedSize = size });

        Assert.Equal("MaxMessageSize", message.ParamName);
        Assert.Equal("MaxDecompressedSize", decompressed.ParamName);
        Assert.All([message, decompressed], exception => Assert.StartsWith($"{exception.ParamName} is {size}; the range is 128 to 2147483591.", exception.Message, StringComparison.Ordinal));
    }
}
