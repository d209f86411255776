using System;
using System.Globalization;
using System.IO;

namespace Reloaded.Messaging;

/// <summary>What a server tells the programs of its user: its process, where it listens, and the token that it wants to be shown.</summary>
/// <param name="Process">The server's process.</param>
/// <param name="Kind">The kind of transport: see <see cref="ProcessTransport.GetKind"/>.</param>
/// <param name="Name">The name, host or path at which it listens.</param>
/// <param name="Port">The port at which it listens, or 0.</param>
/// <param name="Token">The token that clients have to know; empty if clients bring a token, or if none is wanted.</param>
/// <param name="OwnsSocket">Whether the name is a socket's file that belongs to this entry and is removed with it.</param>
internal sealed record ServerEntry(ProcessIdentity Process, string Kind, string Name, int Port, ReadOnlyMemory<byte> Token, bool OwnsSocket)
{
    /// <summary>More than any entry has, in bytes: the longest path and a long token.</summary>
    public const int MaxSize = 4096;

    private const string FirstLine = "reloaded-messaging server 1";

    public string Write() => string.Create(
        CultureInfo.InvariantCulture,
        $"{FirstLine}\nprocess {Process.Id} {Process.Started}\n{Kind} {Port} {(OwnsSocket ? "own" : "other")} {Name}\ntoken {Convert.ToBase64String(Token.Span)}\n");

    /// <summary>Reads an entry.</summary>
    /// <returns>The entry, or <see langword="null"/> if the text is not a whole entry.</returns>
    public static ServerEntry? TryRead(string text)
    {
        if (text.Split('\n') is not [FirstLine, var process, var place, var token, ""])
            return null;
        if (process.Split(' ') is not ["process", var idText, var startedText] ||
            !int.TryParse(idText, CultureInfo.InvariantCulture, out var id) ||
            !long.TryParse(startedText, CultureInfo.InvariantCulture, out var started))
        {
            return null;
        }

        if (place.Split(' ', 4) is not [var kind, var portText, "own" or "other", var name] ||
            !ProcessTransport.IsKind(kind) ||
            string.IsNullOrWhiteSpace(name) ||
            !ushort.TryParse(portText, CultureInfo.InvariantCulture, out var port))
        {
            return null;
        }

        var secret = new byte[token.Length];
        if (!token.StartsWith("token ", StringComparison.Ordinal) || !Convert.TryFromBase64String(token.Substring("token ".Length), secret, out var size))
            return null;
        return new ServerEntry(new ProcessIdentity(id, started), kind, name, port, secret.AsMemory(0, size), place.Split(' ')[2] == "own");
    }

    /// <summary>Removes what the server left beside its entry.</summary>
    public void RemoveSocket()
    {
        if (!OwnsSocket || Kind != ProcessTransport.Unix)
            return;
        File.Delete(Name);
        File.Delete(Name + ".lock");
    }
}
