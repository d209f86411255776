using Xunit;

namespace Reloaded.Messaging.Tests.Contracts;

public sealed class CompressionPolicyTests
{
    [Fact]
    public void It_compresses_from_256_bytes_up_unless_told_otherwise()
    {
        var compressor = new BrotliCompressor();

        var policy = new CompressionOptions(compressor);

        Assert.Same(compressor, policy.Compressor);
        Assert.Equal(256, policy.Threshold);
        Assert.False(policy.EvenIfLarger);
        Assert.Equal(0, new CompressionOptions(compressor, 0).Threshold);
    }

    [Fact]
    public void A_negative_threshold_is_refused()
    {
        var exception = Assert.Throws<ArgumentOutOfRangeException>(() => new CompressionOptions(new BrotliCompressor(), -1));

        Assert.Equal("threshold", exception.ParamName);
        Assert.StartsWith("threshold is -1; the minimum is 0.", exception.Message, StringComparison.Ordinal);
    }

    [Fact]
    public void A_policy_without_a_compressor_is_refused() =>
        Assert.Equal("compressor", Assert.Throws<ArgumentNullException>(() => new CompressionOptions(null!)).ParamName);
}
