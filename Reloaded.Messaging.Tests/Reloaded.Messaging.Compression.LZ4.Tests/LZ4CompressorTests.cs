using System;
using System.Runtime.InteropServices;
using Reloaded.Messaging.Compression.LZ4;
using Xunit;

namespace Reloaded.Messaging.Tests.Compression;

public sealed class LZ4CompressorTests : CompressorContractTests
{
    private LZ4Compressor? _compressor;

    protected override IMessageCompressor Compressor => _compressor ??= NativeLZ4.Create();

    [Fact]
    public void A_block_is_bare()
    {
        var destination = new byte[64];

        Assert.True(Compressor.TryCompress("abc"u8, destination, out var written));

        Assert.Equal([0x30, .. "abc"u8], destination[..written]); // a token: three literals; then the literals
    }

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
    public void Load_several_names_returns_the_first_library_that_loads()
    {
        var (first, second) = OperatingSystem.IsWindows() ? ("kernel32", "user32") : OperatingSystem.IsMacOS() ? ("libSystem.dylib", "libz.dylib") : ("libc.so.6", "libm.so.6");
        var expected = NativeLibrary.Load(first);

        Assert.Equal(expected, LZ4Library.Load(["nothing-of-that-name", first, second]));
        Assert.NotEqual(expected, LZ4Library.Load(["nothing-of-that-name", second, first]));
    }
}
