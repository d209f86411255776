using System.Linq;
using Reloaded.Messaging.Compression.LZ4;
using Xunit;

namespace Reloaded.Messaging.Tests.Compression;

/// <summary>The compressor in managed code, and its compatibility with liblz4.</summary>
public sealed class LZ4CompressorTests : LZ4CompressorLaws
{
    public static readonly TheoryData<int, bool> Sizes = new(
        from size in new[] { 0, 1, 12, 13, 1000, 65_547, 3_000_000 }
        from random in new[] { false, true }
        select (size, random));

    protected override IMessageCompressor Compressor { get; } = new LZ4Compressor();

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
    public void Damaged_block_gets_the_verdict_and_the_bytes_of_liblz4()
    {
        var native = NativeLZ4.Create();
        var random = new Random(10);
        var block = LZ4Blocks.Compress(Compressor, LZ4Blocks.Payload(600, random: false));
        var accepted = 0;
        for (var i = 0; i < 20_000; i++)
        {
            var damaged = LZ4Blocks.Damage(block, random);
            var size = random.Next(4) > 0 ? 600 : random.Next(700);

            var here = LZ4Blocks.Decompress(Compressor, damaged, size);
            Assert.Equal(LZ4Blocks.Decompress(native, damaged, size), here);
            accepted += here is null ? 0 : 1;
        }

        Assert.InRange(accepted, 1, 19_999);
    }
}
