using System;
using System.Globalization;
using System.IO;

namespace Reloaded.Messaging;

/// <summary>The data that a server publishes for programs of its user: its process, its address, and its token.</summary>
/// <param name="Process">The process of the server.</param>
/// <param name="Kind">The kind of transport: see <see cref="ProcessTransport.GetKind"/>.</param>
/// <param name="Name">The name, host or path of the address.</param>
/// <param name="Port">The port of the address, or 0.</param>
/// <param name="Token">The token that clients need; empty if clients already have a token, or if the server requires none.</param>
/// <param name="OwnsSocket">Whether the name is a socket file that belongs to this entry and is removed with it.</param>
internal sealed record ServerEntry(ProcessIdentity Process, string Kind, string Name, int Port, ReadOnlyMemory<byte> Token, bool OwnsSocket)
{
    /// <summary>The maximum size of an entry, in bytes. The longest path and a long token fit.</summary>
    public const int MaxSize = 4096;

    private const string FirstLine = "reloaded-messaging server 1";

    public string Write() => string.Create(
        CultureInfo.InvariantCulture,
        $"{FirstLine}\nprocess {Process.Id} {Process.Started}\n{Kind} {Port} {(OwnsSocket ? "own" : "other")} {Name}\ntoken {Convert.ToBase64String(Token.Span)}\n");

    /// <summary>Reads an entry.</summary>
    /// <returns>The entry, or <see langword="null"/> if the text is not a complete entry.</returns>
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

    /// <summary>Removes the socket file of the server, if the entry owns it.</summary>
    public void RemoveSocket()
    {
        if (!OwnsSocket || Kind != ProcessTransport.Unix)
            return;
        File.Delete(Name);
        File.Delete(Name + ".lock");
    }
}
