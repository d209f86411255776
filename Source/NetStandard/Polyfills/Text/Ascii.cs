using System.Buffers;

namespace System.Text;

internal static class Ascii
{
    public static bool IsValid(ReadOnlySpan<byte> value)
    {
        foreach (var one in value)
        {
            if (one > 127)
                return false;
        }

        return true;
    }

    public static OperationStatus FromUtf16(ReadOnlySpan<char> source, Span<byte> destination, out int bytesWritten)
    {
        for (bytesWritten = 0; bytesWritten < source.Length; bytesWritten++)
        {
            if (source[bytesWritten] > 127)
                return OperationStatus.InvalidData;
            if (bytesWritten == destination.Length)
                return OperationStatus.DestinationTooSmall;
            destination[bytesWritten] = (byte)source[bytesWritten];
        }

        return OperationStatus.Done;
    }

    public static OperationStatus ToUtf16(ReadOnlySpan<byte> source, Span<char> destination, out int charsWritten)
    {
        for (charsWritten = 0; charsWritten < source.Length; charsWritten++)
        {
            if (source[charsWritten] > 127)
                return OperationStatus.InvalidData;
            if (charsWritten == destination.Length)
                return OperationStatus.DestinationTooSmall;
            destination[charsWritten] = (char)source[charsWritten];
        }

        return OperationStatus.Done;
    }
}
