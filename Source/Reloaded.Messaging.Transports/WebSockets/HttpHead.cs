using System;
using System.Collections.Generic;
using System.Text;
using System.Threading.Tasks;

namespace Reloaded.Messaging;

/// <summary>The first line and the header fields of an HTTP/1.1 request or response.</summary>
internal sealed class HttpHead
{
    /// <summary>The maximum size, in bytes. Browsers send about 500 bytes, and the cookies of the host.</summary>
    public const int MaxSize = 8192;

    private readonly Dictionary<string, string> _fields = new(StringComparer.OrdinalIgnoreCase);

    private HttpHead(string firstLine, ReadOnlyMemory<byte> rest)
    {
        FirstLine = firstLine;
        Rest = rest;
    }

    /// <summary>The request line or the status line.</summary>
    public string FirstLine { get; }

    /// <summary>The bytes that were received after the head.</summary>
    public ReadOnlyMemory<byte> Rest { get; }

    /// <summary>The value of a field, or an empty text if the field is missing. A repeated field has its values separated by commas.</summary>
    public string this[string name] => _fields.TryGetValue(name, out var value) ? value : "";

    /// <summary>Receives a head. Stores at most <see cref="MaxSize"/> bytes.</summary>
    /// <param name="channel">The channel to receive from.</param>
    /// <param name="start">The bytes with which the head begins. Other bytes end the receive at once.</param>
    /// <returns>The head; or <see langword="null"/> if the bytes are not a head, or if the head is too large.</returns>
    /// <exception cref="TransportClosedException">Thrown when the channel ended before the head was complete.</exception>
    public static async Task<HttpHead?> ReceiveAsync(TransportChannel channel, ReadOnlyMemory<byte> start)
    {
        var bytes = new byte[MaxSize];
        for (var length = 0; length < MaxSize;)
        {
            var received = await channel.ReceiveAsync(bytes.AsMemory(length), default).ConfigureAwait(false);
            if (received == 0)
                throw new TransportClosedException($"{channel.RemoteName} closed the connection during the WebSocket handshake.");
            var searched = Math.Max(0, length - 3);
            length += received;
            var known = Math.Min(length, start.Length);
            if (!bytes.AsSpan(0, known).SequenceEqual(start.Span.Slice(0, known)))
                return null;
            var end = bytes.AsSpan(searched, length - searched).IndexOf("\r\n\r\n"u8);
            if (end >= 0)
                return Parse(Encoding.ASCII.GetString(bytes, 0, searched + end), bytes.AsMemory(searched + end + 4, length - searched - end - 4));
        }

        return null;
    }

    /// <summary>Returns whether a field is a list with an item, ignoring case.</summary>
    public bool Contains(string name, string item)
    {
        foreach (var one in this[name].Split(','))
        {
            if (one.Trim().Equals(item, StringComparison.OrdinalIgnoreCase))
                return true;
        }

        return false;
    }

    private static HttpHead? Parse(string text, ReadOnlyMemory<byte> rest)
    {
        var lines = text.Split("\r\n");
        foreach (var one in lines[0])
        {
            if (char.IsControl(one)) // HTTP forbids them, and a terminal that shows the line in an exception would obey them
                return null;
        }

        var head = new HttpHead(lines[0], rest);
        foreach (var line in lines.AsSpan(1))
        {
            var colon = line.IndexOf(':', StringComparison.Ordinal);
            if (colon <= 0 || line.AsSpan(0, colon).IndexOfAny(' ', '\t') >= 0) // a continued line begins with a space
                return null;
            var (name, value) = (line.Substring(0, colon), line.Substring(colon + 1).Trim());
            head._fields[name] = head._fields.TryGetValue(name, out var before) ? $"{before}, {value}" : value;
        }

        return head;
    }
}
