namespace System.Text.Unicode;

internal static class Utf8
{
    private static readonly UTF8Encoding s_strict = new(encoderShouldEmitUTF8Identifier: false, throwOnInvalidBytes: true);

    public static bool IsValid(ReadOnlySpan<byte> value)
    {
        try
        {
            s_strict.GetCharCount(value);
            return true;
        }
        catch (DecoderFallbackException)
        {
            return false;
        }
    }
}
