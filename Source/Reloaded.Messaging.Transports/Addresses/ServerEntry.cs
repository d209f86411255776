using System.Globalization;
using System.IO;
using System.Text;

namespace Reloaded.Messaging;

/// <summary>The data that a server publishes for programs of its user: its process, its addresses, and its token.</summary>
internal sealed class ServerEntry(ProcessIdentity process, IReadOnlyList<ServerPlace> places, ReadOnlyMemory<byte> token)
{
    /// <summary>The process of the server.</summary>
    public readonly ProcessIdentity Process = process;

    /// <summary>The addresses of the server. A client uses the first one whose transport it can use.</summary>
    public readonly IReadOnlyList<ServerPlace> Places = places;

    /// <summary>The token that clients need; empty if clients already have a token, or if the server requires none.</summary>
    public readonly ReadOnlyMemory<byte> Token = token;

    /// <summary>The maximum size of an entry, in bytes. The longest paths and a long token fit.</summary>
    public const int MaxSize = 4096;

    private const string FirstLine = "reloaded-messaging server 1";

    public string Write()
    {
        var places = new StringBuilder();
        foreach (var place in Places)
            places.Append(place.Write());
        return FormattableString.Invariant($"{FirstLine}\nprocess {Process.Id} {Process.Started}\n{places}token {Convert.ToBase64String(Token.Span)}\n");
    }

    /// <summary>Reads an entry.</summary>
    /// <returns>The entry, or <see langword="null"/> if the text is not a complete entry.</returns>
    public static ServerEntry? TryRead(string text)
    {
        if (text.Split('\n') is not [FirstLine, var process, .. { Length: > 0 } lines, var token, ""])
            return null;
        if (process.Split(' ') is not ["process", var idText, var startedText] ||
            !int.TryParse(idText, NumberStyles.None, CultureInfo.InvariantCulture, out var id) ||
            !long.TryParse(startedText, NumberStyles.None, CultureInfo.InvariantCulture, out var started))
        {
            return null;
        }

        var places = Array.ConvertAll(lines, ServerPlace.TryRead);
        if (Array.IndexOf(places, null) >= 0)
            return null;

        var secret = new byte[token.Length];
        if (!token.StartsWith("token ", StringComparison.Ordinal) || !Convert.TryFromBase64String(token.Substring("token ".Length), secret, out var size))
            return null;
        return new ServerEntry(new ProcessIdentity(id, started), places!, secret.AsMemory(0, size));
    }

    /// <summary>Removes the socket files that belong to the entry.</summary>
    public void RemoveSockets()
    {
        foreach (var place in Places)
            place.RemoveSocket();
    }
}
