namespace Reloaded.Messaging;

/// <summary>On this target, the framework's Brotli library cannot be called by name.</summary>
internal static class NativeBrotliDecoder
{
    public static bool IsAvailable => false;

    public static bool TryDecompress(ReadOnlySpan<byte> source, Span<byte> destination) => throw new NotSupportedException();
}
