using System;
using System.Linq;
using Reloaded.Messaging.Compression.K4os;
using Xunit;

namespace Reloaded.Messaging.Tests.Compression;

/// <summary>The requirements of every compressor, and the compatibility of blocks with liblz4.</summary>
public sealed class K4osCompressorTests : CompressorContractTests
{
    public static readonly TheoryData<int, bool> Sizes = new(
        from size in new[] { 0, 1, 12, 13, 1000, 65_547, 3_000_000 }
        from random in new[] { false, true }
        select (size, random));

    protected override IMessageCompressor Compressor { get; } = new K4osCompressor();

    [Theory]
    [MemberData(nameof(Sizes))]
    public void What_it_compressed_liblz4_reads(int size, bool random)
    {
        var native = NativeLZ4.Create();
        var payload = LZ4Blocks.Payload(size, random);

        Assert.Equal(payload, LZ4Blocks.Decompress(native, LZ4Blocks.Compress(Compressor, payload), size));
    }

    [Theory]
    [MemberData(nameof(Sizes))]
    public void What_liblz4_compressed_it_reads(int size, bool random)
    {
        var native = NativeLZ4.Create();
        var payload = LZ4Blocks.Payload(size, random);

        Assert.Equal(payload, LZ4Blocks.Decompress(Compressor, LZ4Blocks.Compress(native, payload), size));
    }

    [Fact]
    public void It_has_the_name_of_the_format_that_liblz4_has() => Assert.Equal(NativeLZ4.Create().Name, Compressor.Name);

    [Fact]
    public void Nothing_is_the_block_that_liblz4_makes_of_nothing()
    {
        Assert.Equal([0], LZ4Blocks.Compress(Compressor, []));
        Assert.Equal(LZ4Blocks.Compress(NativeLZ4.Create(), []), LZ4Blocks.Compress(Compressor, []));
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
    public void Malformed_blocks_are_refused_as_liblz4_refuses_them(string block, int size)
    {
        var bytes = Convert.FromHexString(block);

        Assert.Null(LZ4Blocks.Decompress(Compressor, bytes, size));
        Assert.Null(LZ4Blocks.Decompress(NativeLZ4.Create(), bytes, size));
    }

    [Theory]
    [InlineData("84" + "6161616161616161" + "0000" + "C0" + "626262626262626262626262", 28)] // 8 literals, 8 bytes of a match at offset 0, 12 literals
    [InlineData("EF" + "6161616161616161616161616161" + "0000B4" + "C0" + "626262626262626262626262", 225)] // 14, 199, 12
    [InlineData("F4" + "00" + "616161616161616161616161616161" + "0000" + "C0" + "626262626262626262626262", 35)] // 15, 8, 12
    [InlineData("1F" + "61" + "010000" + "04" + "0000" + "C0" + "626262626262626262626262", 40)] // 1, 19 at offset 1, 8 at offset 0, 12
    public void A_match_at_offset_zero_is_refused(string block, int size)
    {
        var bytes = Convert.FromHexString(block);

        Assert.Null(LZ4Blocks.Decompress(Compressor, bytes, size));
        Assert.Null(LZ4Blocks.Decompress(NativeLZ4.Create(), bytes, size));
    }

    [Fact]
    public void Damaged_block_gets_the_verdict_and_the_bytes_of_liblz4()
    {
        var native = NativeLZ4.Create();
        var random = new Random(10);
        var block = LZ4Blocks.Compress(Compressor, LZ4Blocks.Payload(600, random: false));
        var accepted = 0;
        for (var i = 0; i < 20_000; i++)
        {
            var damaged = block.ToArray();
            for (var flips = random.Next(1, 4); flips > 0; flips--)
                damaged[random.Next(damaged.Length)] = (byte)random.Next(random.Next(2) == 0 ? 256 : 2);
            var size = random.Next(4) > 0 ? 600 : random.Next(700);

            var here = LZ4Blocks.Decompress(Compressor, damaged, size);
            Assert.Equal(LZ4Blocks.Decompress(native, damaged, size), here);
            accepted += here is null ? 0 : 1;
        }

        Assert.InRange(accepted, 1, 19_999);
    }

    [Fact]
    public void What_a_damaged_block_becomes_depends_on_nothing_but_the_block()
    {
        var random = new Random(9);
        var block = LZ4Blocks.Compress(Compressor, LZ4Blocks.Payload(600, random: false));
        var accepted = 0;
        for (var i = 0; i < 20_000; i++)
        {
            var damaged = block.ToArray();
            for (var flips = random.Next(1, 4); flips > 0; flips--)
                damaged[random.Next(damaged.Length)] = (byte)random.Next(random.Next(2) == 0 ? 256 : 2);
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
