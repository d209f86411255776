namespace Reloaded.Messaging;

/// <summary>Text of the remote side that becomes part of exceptions, events, logs and outputs. A terminal obeys control characters, so they are replaced.</summary>
internal static class RemoteText
{
    /// <summary>Returns the text with U+FFFD in place of each control character except tabs and, by default, line breaks.</summary>
    public static string Clean(string text, bool keepsLines = true)
    {
        var characters = text.ToCharArray();
        for (var i = 0; i < characters.Length; i++)
        {
            if (char.IsControl(characters[i]) && characters[i] != '\t' && !(keepsLines && characters[i] is '\r' or '\n'))
                characters[i] = '\uFFFD';
        }

        return new string(characters);
    }
}
