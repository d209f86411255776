using System.Buffers;
using Reloaded.Messaging;

namespace System.Text.Unicode;

internal static class Utf8
{
    /// <summary>Writes as many whole characters as have room; half of a surrogate pair becomes U+FFFD.</summary>
    public static OperationStatus FromUtf16(ReadOnlySpan<char> source, Span<byte> destination, out int charsRead, out int bytesWritten)
    {
        const int Largest = 4; // bytes of one character: an encoder throws where not even that has room
        (charsRead, bytesWritten) = (0, 0);
        var isAll = source.IsEmpty;
        if (destination.Length >= Largest)
            Encoding.UTF8.GetEncoder().Convert(source, destination, flush: true, out charsRead, out bytesWritten, out isAll);
        return isAll ? OperationStatus.Done : OperationStatus.DestinationTooSmall;
    }

    public static bool IsValid(ReadOnlySpan<byte> value)
    {
        try
        {
            Utf8Text.Strict.GetCharCount(value);
            return true;
        }
        catch (DecoderFallbackException)
        {
            return false;
        }
    }
}
