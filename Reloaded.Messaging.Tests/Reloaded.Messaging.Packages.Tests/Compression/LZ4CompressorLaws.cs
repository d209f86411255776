using Xunit;

namespace Reloaded.Messaging.Tests.Compression;

/// <summary>The requirements of each compressor with the format of LZ4.</summary>
public abstract class LZ4CompressorLaws : CompressorContractTests
{
    [Fact]
    public void It_has_the_name_of_the_format() => Assert.Equal("lz4", Compressor.Name);

    [Fact]
    public void A_block_is_bare()
    {
        var destination = new byte[64];

        Assert.True(Compressor.TryCompress("abc"u8, destination, out var written));

        Assert.Equal([0x30, .. "abc"u8], destination[..written]); // a token: three literals; then the literals
    }

    [Fact]
    public void Nothing_is_one_empty_token()
    {
        Assert.Equal([0], LZ4Blocks.Compress(Compressor, []));
        Assert.Empty(LZ4Blocks.Decompress(Compressor, [0], 0)!);
    }

    [Theory]
    [InlineData("", 0)]
    [InlineData("01", 0)]
    [InlineData("0000", 0)]
    [InlineData("10", 0)]
    [InlineData("", 1)]
    [InlineData("00", 1)]
    [InlineData("FF", 1)]
    [InlineData("F0FFFFFFFFFF", 100)] // literals without an end
    [InlineData("1061FFFF50616161616161", 20)] // a match that begins before the start
    public void A_malformed_block_is_refused(string block, int size) =>
        Assert.Null(LZ4Blocks.Decompress(Compressor, Convert.FromHexString(block), size));

    [Theory]
    [InlineData("84" + "6161616161616161" + "0000" + "C0" + "626262626262626262626262", 28)] // 8 literals, 8 bytes of a match at offset 0, 12 literals
    [InlineData("EF" + "6161616161616161616161616161" + "0000B4" + "C0" + "626262626262626262626262", 225)] // 14, 199, 12
    [InlineData("F4" + "00" + "616161616161616161616161616161" + "0000" + "C0" + "626262626262626262626262", 35)] // 15, 8, 12
    [InlineData("1F" + "61" + "010000" + "04" + "0000" + "C0" + "626262626262626262626262", 40)] // 1, 19 at offset 1, 8 at offset 0, 12
    public void A_match_at_offset_zero_is_refused(string block, int size) =>
        Assert.False(Compressor.TryDecompress(Convert.FromHexString(block), new byte[size]));

    [Theory]
    [InlineData("84" + "6161616161616161" + "0100" + "C0" + "626262626262626262626262", 28)]
    [InlineData("EF" + "6161616161616161616161616161" + "0100B4" + "C0" + "626262626262626262626262", 225)]
    [InlineData("F4" + "00" + "616161616161616161616161616161" + "0100" + "C0" + "626262626262626262626262", 35)]
    public void A_match_at_offset_one_is_accepted(string block, int size) =>
        Assert.True(Compressor.TryDecompress(Convert.FromHexString(block), new byte[size]));

    [Fact]
    public void What_a_damaged_block_becomes_depends_on_nothing_but_the_block()
    {
        var random = new Random(9);
        var block = LZ4Blocks.Compress(Compressor, LZ4Blocks.Payload(600, random: false));
        var accepted = 0;
        for (var i = 0; i < 20_000; i++)
        {
            var damaged = LZ4Blocks.Damage(block, random);
            var size = random.Next(2) == 0 ? 600 : random.Next(700);

            var first = LZ4Blocks.Decompress(Compressor, damaged, size, stale: 0xEE);
            byte[] followed = [.. damaged, .. new byte[64]];
            var second = LZ4Blocks.Decompress(Compressor, followed.AsSpan(0, damaged.Length), size, stale: 0x11);

            Assert.Equal(first, second);
            accepted += first is null ? 0 : 1;
        }

        Assert.InRange(accepted, 1, 19_999);
    }

    [Fact]
    public void A_payload_above_a_blocks_limit_is_refused()
    {
        var exception = Assert.Throws<ArgumentOutOfRangeException>(() => Compressor.GetMaxCompressedSize(0x7E000001));

        Assert.Contains("2113929216", exception.Message, StringComparison.Ordinal);
        Assert.InRange(Compressor.GetMaxCompressedSize(0x7E000000), 0x7E000000, int.MaxValue);
    }
}
