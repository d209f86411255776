using System;

namespace Reloaded.Messaging;

/// <summary>Names of servers on this machine, of which files and pipes are named.</summary>
internal static class LocalName
{
    /// <summary>Returns a name if it has letters, digits, dots, dashes and underscores only.</summary>
    /// <exception cref="ArgumentException">Thrown when it has another character, or none.</exception>
    public static string Check(string name)
    {
        ArgumentException.ThrowIfNullOrWhiteSpace(name);
        foreach (var letter in name)
        {
            if (!char.IsAsciiLetterOrDigit(letter) && letter is not ('.' or '-' or '_'))
                throw new ArgumentException($"'{name}' is not a name: '{letter}' is neither a letter, a digit, a dot, a dash nor an underscore.", nameof(name));
        }

        return name;
    }
}
