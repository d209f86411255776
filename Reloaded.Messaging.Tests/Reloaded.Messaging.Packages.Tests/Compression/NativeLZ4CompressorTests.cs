using System.Runtime.InteropServices;
using Reloaded.Messaging.Compression.LZ4;
using Xunit;

namespace Reloaded.Messaging.Tests.Compression;

public sealed class NativeLZ4CompressorTests : LZ4CompressorLaws
{
    private NativeLZ4Compressor? _compressor;

    protected override IMessageCompressor Compressor => _compressor ??= NativeLZ4.Create();

    [Fact]
    public void A_missing_library_is_one_clear_error()
    {
        string[] names = ["libnothing-of-that-name.so.1", "nothing-of-that-name"];

        Assert.Equal(0, LZ4Library.Load(names));
        var error = LZ4Library.Missing(names);

        Assert.IsType<DllNotFoundException>(error);
        Assert.All([.. names, "liblz4-1", "use LZ4Compressor"], word => Assert.Contains(word, error.Message, StringComparison.Ordinal));
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
