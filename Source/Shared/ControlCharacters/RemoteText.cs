namespace Reloaded.Messaging;

/// <summary>Text of the remote side that becomes part of exceptions, events, logs, outputs and exported code. A terminal obeys control characters, a compiler ends a line at some of them, and others change the order in which an editor shows the text, so they are replaced.</summary>
internal static class RemoteText
{
    /// <summary>Returns the text with U+FFFD in place of each control character except tabs and, by default, line breaks, and of each separator of lines and each override of the writing direction.</summary>
    public static string Clean(string text, bool keepsLines = true)
    {
        var characters = text.ToCharArray();
        for (var i = 0; i < characters.Length; i++)
        {
            var isLineBreak = characters[i] == '\n' || (characters[i] == '\r' && i + 1 < characters.Length && characters[i + 1] == '\n'); // a lone CR lets a terminal overwrite the line
            if (IsControl(characters[i]) && !(keepsLines && isLineBreak))
                characters[i] = '\uFFFD';
        }

        return new string(characters);
    }

    /// <summary>Whether a character is a control character except a tab, a separator of lines or an override of the writing direction.</summary>
    public static bool IsControl(char character) =>
        (char.IsControl(character) && character != '\t') || character is (>= '\u2028' and <= '\u202E') or (>= '\u2066' and <= '\u2069');
}
