using Reloaded.Messaging.Compression.LZ4;
using Xunit;

namespace Reloaded.Messaging.Tests.Compression;

/// <summary>LZ4 through the system's liblz4, which a machine may lack.</summary>
internal static class NativeLZ4
{
    /// <summary>Creates the compressor. Skips the test where liblz4 is missing, and names what to install.</summary>
    public static NativeLZ4Compressor Create()
    {
        var compressor = TryCreate(out var reason);
        Assert.SkipWhen(compressor is null, reason);
        return compressor!;
    }

    /// <summary>Creates the compressor, or returns <see langword="null"/> if liblz4 is missing.</summary>
    public static NativeLZ4Compressor? TryCreate(out string reason)
    {
        try
        {
            reason = "";
            return new NativeLZ4Compressor();
        }
        catch (DllNotFoundException exception)
        {
            reason = exception.Message;
            return null;
        }
    }
}
