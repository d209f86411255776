using System.Globalization;
using System.IO;
using System.Runtime.InteropServices;
using System.Text;

namespace Reloaded.Messaging;

/// <summary>Checks names of servers on this machine. Files and pipes are named after them.</summary>
internal static class LocalName
{
    /// <summary>Returns a name if it contains only letters, digits, dots, dashes and underscores.</summary>
    /// <exception cref="ArgumentException">Thrown when the name is empty or contains another character.</exception>
    public static string Check(string name)
    {
        ArgumentException.ThrowIfNullOrWhiteSpace(name);
        foreach (var letter in name)
        {
            if (letter is not ((>= 'a' and <= 'z') or (>= 'A' and <= 'Z') or (>= '0' and <= '9') or '.' or '-' or '_'))
                throw new ArgumentException($"'{name}' contains '{letter}'. A name contains only letters, digits, dots, dashes and underscores.", nameof(name));
        }

        return name;
    }
}
