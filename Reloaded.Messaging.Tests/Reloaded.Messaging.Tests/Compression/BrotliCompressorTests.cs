using Xunit;

namespace Reloaded.Messaging.Tests.Compression;

public sealed class BrotliCompressorTests : CompressorContractTests
{
    protected override IMessageCompressor Compressor { get; } = new BrotliCompressor();

    [Theory]
    [InlineData(-1, 18, "quality")]
    [InlineData(12, 18, "quality")]
    [InlineData(1, 9, "window")]
    [InlineData(1, 25, "window")]
    public void Efforts_out_of_range_are_refused(int quality, int window, string parameter)
    {
        var exception = Assert.Throws<ArgumentOutOfRangeException>(() => new BrotliCompressor(quality, window));

        Assert.Equal(parameter, exception.ParamName);
        Assert.StartsWith($"{parameter} is {exception.ActualValue}; the range is ", exception.Message, StringComparison.Ordinal);
    }

    [Theory]
    [InlineData(0, 10)]
    [InlineData(11, 24)]
    public void The_ends_of_the_range_work_and_read_each_other(int quality, int window)
    {
        var payload = new byte[3000];
        var compressed = new byte[4000];
        Assert.True(new BrotliCompressor(quality, window).TryCompress(payload, compressed, out var written));
        var result = new byte[3000];
        result.AsSpan().Fill(1);

        Assert.True(Compressor.TryDecompress(compressed.AsSpan(0, written), result));

        Assert.Equal(payload, result);
    }
}
