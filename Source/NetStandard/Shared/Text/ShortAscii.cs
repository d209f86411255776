namespace Reloaded.Messaging;

/// <content>netstandard2.1 has no portable vectors: all text takes the general way.</content>
internal static class ShortAscii
{
    public static bool TryWiden(ReadOnlySpan<byte> source, Span<char> destination) => false;

    public static bool TryNarrow(ReadOnlySpan<char> source, Span<byte> destination) => false;
}
