using System;
using System.Runtime.InteropServices;
using Reloaded.Messaging.Compression.LZ4;
using Xunit;

namespace Reloaded.Messaging.Tests.Compression;

public sealed class LZ4CompressorTests : CompressorContractTests
{
    protected override IMessageCompressor Compressor { get; } = new LZ4Compressor();

    [Fact]
    public void A_block_is_bare()
    {
        var destination = new byte[64];

        Assert.True(Compressor.TryCompress("abc"u8, destination, out var written));

        Assert.Equal([0x30, .. "abc"u8], destination[..written]); // a token: three literals; then the literals
    }

    [Fact]
    public void A_payload_above_a_blocks_limit_is_refused()
    {
        var exception = Assert.Throws<ArgumentOutOfRangeException>(() => Compressor.GetMaxCompressedSize(0x7E000001));

        Assert.Contains("2113929216", exception.Message, StringComparison.Ordinal);
        Assert.InRange(Compressor.GetMaxCompressedSize(0x7E000000), 0x7E000000, int.MaxValue);
    }

    [Fact]
    public void A_missing_library_is_one_clear_error()
    {
        string[] names = ["libnothing-of-that-name.so.1", "nothing-of-that-name"];

        Assert.Equal(0, LZ4Library.Load(names));
        var error = LZ4Library.Missing(names);

        Assert.IsType<DllNotFoundException>(error);
        Assert.All([.. names, "liblz4-1", "BrotliCompressor"], word => Assert.Contains(word, error.Message, StringComparison.Ordinal));
    }

    [Fact]
    public void The_first_name_that_loads_is_taken() =>
        Assert.NotEqual(0, LZ4Library.Load(["nothing-of-that-name", "liblz4.so.1", "liblz4.1.dylib", "liblz4", "lz4"]));
}
