using System;
using System.ComponentModel;
using System.Text;
using System.Threading;
using System.Threading.Tasks;

namespace Reloaded.Messaging.Hosting;

/// <content>Whether it was let in, how much it sends, and what is said in parting.</content>
public sealed partial class Peer
{
    // A lock of its own: the program's code runs under it.
    private readonly object _extensionGate = new();

    /// <summary>The longest text of a goodbye, in bytes of UTF-8.</summary>
    private const int LongestGoodbye = 1024;

    /// <summary>Why the other side disconnected this one, as it says: read it when <see cref="Disconnected"/> is <see cref="DisconnectReason.Goodbye"/>. Null if it did not say, or says what this version does not know.</summary>
    public DisconnectReason? GoodbyeReason { get; private set; }

    /// <summary>What the other side said when it disconnected this one, for people; null if it said nothing. Never longer than 1024 bytes.</summary>
    public string? GoodbyeText { get; private set; }

    /// <summary>How far it is with its credentials.</summary>
    internal int Session;

    /// <summary>Since when it has been expected to show its credentials, by the host's clock; <see cref="long.MaxValue"/> before that.</summary>
    internal long UnauthenticatedSince = long.MaxValue;

    internal PeerTraffic Traffic { get; }

    /// <summary>The state that a package built on hosts keeps with the peer, or <c>null</c>. Programs use <see cref="Tag"/>.</summary>
    [EditorBrowsable(EditorBrowsableState.Advanced)]
    public object? ExtensionState { get; private set; }

    /// <summary>Returns <see cref="ExtensionState"/>, and creates it on the first call.</summary>
    /// <param name="create">Creates the state. Called at most once; other callers for the same peer wait.</param>
    /// <param name="argument">Passed to <paramref name="create"/>, so that it needs no closure.</param>
    [EditorBrowsable(EditorBrowsableState.Advanced)]
    public object GetOrCreateExtensionState<TArgument>(Func<Peer, TArgument, object> create, TArgument argument)
    {
        ArgumentNullException.ThrowIfNull(create);
        lock (_extensionGate)
            return ExtensionState ??= create(this, argument);
    }

    internal bool IsLeaving => Volatile.Read(ref _leaving) != 0;

    /// <summary>Disconnects it and says why: the text is the <see cref="GoodbyeText"/> of the other side. What was sent before goes out first, for up to a second.</summary>
    /// <param name="reason">For people: up to 1024 bytes of UTF-8.</param>
    /// <exception cref="ArgumentException">It is longer.</exception>
    public Task KickAsync(string reason)
    {
        ArgumentNullException.ThrowIfNull(reason);
        var size = Encoding.UTF8.GetByteCount(reason);
        if (size > LongestGoodbye)
            throw new ArgumentException($"The reason is {size} bytes long, and a goodbye's text {LongestGoodbye} at most. Send a message for more.", nameof(reason));
        return DisconnectAsync(DisconnectReason.Kicked, awaitsEnd: Announcement == PeerAnnouncement.Made, reason);
    }

    /// <summary>Notes what a goodbye says. A text that is too long or no text is left out: the goodbye stands.</summary>
    internal void NoteGoodbye(ReadOnlySpan<byte> payload)
    {
        if (payload.IsEmpty)
            return;
        GoodbyeReason = payload[0] <= (byte)DisconnectReason.TooManyPeersFromAddress ? (DisconnectReason)payload[0] : null;
        var text = payload.Slice(1);
        if (text.IsEmpty || text.Length > LongestGoodbye)
            return;
        GoodbyeText = Utf8Text.TryDecode(text, out var value) ? value : null;
    }

    /// <summary>A goodbye's payload: the reason, as this side numbers it, and as much of the text as it may hold.</summary>
    private static byte[] MakeGoodbye(DisconnectReason reason, string? text)
    {
        if (string.IsNullOrEmpty(text))
            return [(byte)reason];
        var payload = new byte[1 + LongestGoodbye];
        payload[0] = (byte)reason;
        Encoding.UTF8.GetEncoder().Convert(text, payload.AsSpan(1), flush: true, out _, out var written, out _);
        return payload[..(1 + written)];
    }
}
