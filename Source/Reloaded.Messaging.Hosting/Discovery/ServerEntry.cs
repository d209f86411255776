using System;
using System.Globalization;
using System.IO;

namespace Reloaded.Messaging.Hosting;

/// <summary>What a server tells the programs of its user: who it is, where it listens, and the token that it wants to be shown.</summary>
/// <param name="Process">Whose it is.</param>
/// <param name="Endpoint">Where it listens.</param>
/// <param name="Token">What clients have to know; empty if they bring a token of their own, or none is wanted.</param>
/// <param name="OwnsSocket">Whether the endpoint is a socket's file that belongs to this entry and goes with it.</param>
internal sealed record ServerEntry(ProcessIdentity Process, MessageEndpoint Endpoint, ReadOnlyMemory<byte> Token, bool OwnsSocket)
{
    /// <summary>More than any entry has, in bytes: the longest path and a long token.</summary>
    public const int MaxSize = 4096;

    private const string FirstLine = "reloaded-messaging server 1";

    public string Write() => string.Create(
        CultureInfo.InvariantCulture,
        $"{FirstLine}\nprocess {Process.Id} {Process.Started}\n{Endpoint.Kind} {Endpoint.Port} {(OwnsSocket ? "own" : "other")} {Endpoint.Address}\ntoken {Convert.ToBase64String(Token.Span)}\n");

    /// <returns>Null for what is no entry, or not all of one.</returns>
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

        if (place.Split(' ', 4) is not [var kindText, var portText, "own" or "other", var address] ||
            !Enum.TryParse(kindText, out EndpointKind kind) ||
            !ushort.TryParse(portText, CultureInfo.InvariantCulture, out var port))
        {
            return null;
        }

        var secret = new byte[token.Length];
        if (!token.StartsWith("token ", StringComparison.Ordinal) || !Convert.TryFromBase64String(token.Substring("token ".Length), secret, out var size))
            return null;
        return new ServerEntry(new ProcessIdentity(id, started), MessageEndpoint.Restore(kind, address, port), secret.AsMemory(0, size), place.Split(' ')[2] == "own");
    }

    /// <summary>Removes what the server left beside its entry.</summary>
    public void RemoveSocket()
    {
        if (!OwnsSocket || Endpoint.Kind != EndpointKind.Unix)
            return;
        File.Delete(Endpoint.Address);
        File.Delete(Endpoint.Address + ".lock");
    }
}
