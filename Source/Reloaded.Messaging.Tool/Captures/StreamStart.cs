using Reloaded.Messaging.Wire;

namespace Reloaded.Messaging.Tool;

/// <summary>Recognizes a stream by its first bytes.</summary>
internal static class StreamStart
{
    private static ReadOnlySpan<byte> HelloHeader => [0x7F, 0x04, 0x00];

    private static ReadOnlySpan<byte> Magic => "RLM3"u8;

    private static ReadOnlySpan<byte> KeyExchange => [0, (byte)'R', (byte)'P', 1];

    private static ReadOnlySpan<byte> TlsRecord => [0x16, 3];

    public static StreamKind Recognize(ReadOnlySpan<byte> bytes)
    {
        if (bytes.StartsWith(KeyExchange))
            return StreamKind.Protected;
        if (bytes.StartsWith(TlsRecord))
            return StreamKind.Tls;
        if (bytes.StartsWith("GET "u8) || bytes.StartsWith("HTTP"u8))
            return StreamKind.Http;
        if (UVarint.TryRead(bytes, out _, out var size) != HeaderStatus.Ok)
            return bytes.Length < UVarint.MaxSize ? StreamKind.Incomplete : StreamKind.Other;
        Span<byte> expected = [.. HelloHeader, .. Magic];
        var seen = bytes.Slice(size);
        var length = Math.Min(seen.Length, expected.Length);
        return !seen.Slice(0, length).SequenceEqual(expected.Slice(0, length)) ? StreamKind.Other
            : length < expected.Length ? StreamKind.Incomplete
            : StreamKind.Frames;
    }
}
