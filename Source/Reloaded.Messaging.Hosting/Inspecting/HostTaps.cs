using System.Diagnostics;

namespace Reloaded.Messaging.Hosting;

/// <summary>The taps of a host, and their calls. Thread-safe.</summary>
internal sealed class HostTaps(HostEvents events) : SentObserver
{
    private readonly object _gate = new();
    private Entry[] _entries = []; // replaced as a whole, so that calls need no lock

    public IDisposable Add(MessageTap tap, bool includesSecrets)
    {
        var entry = new Entry(this, tap, includesSecrets);
        lock (_gate)
            Set([.. _entries, entry]);
        return entry;
    }

    /// <summary>Observes a received message.</summary>
    public void NoteReceived(Peer peer, in ReceivedMessage message) =>
        Call(MessageDirection.Received, peer, in message, isSecret: false, Stopwatch.GetTimestamp());

    /// <inheritdoc/>
    /// <remarks>The messages of the handshake are not observed.</remarks>
    public override long Begin(Peer peer) => peer.Connection.AcceptsMessages ? Stopwatch.GetTimestamp() : 0;

    /// <inheritdoc/>
    public override void NoteSent(Peer peer, ReadOnlySpan<byte> message, bool isSecret, long time)
    {
        if (ReceivedMessage.TryRead(message, out var sent))
            Call(MessageDirection.Sent, peer, in sent, isSecret, time);
    }

    private void Call(MessageDirection direction, Peer peer, in ReceivedMessage message, bool isSecret, long time)
    {
        isSecret |= peer.Host.Resources.IsSecret(message.Header);
        foreach (var entry in Volatile.Read(ref _entries))
        {
            try
            {
                entry.Tap(new TappedMessage(direction, peer, in message, isHidden: isSecret && !entry.IncludesSecrets, time));
            }
            catch (Exception e)
            {
                events.ReportFailure(peer, message.Header.Type, e);
            }
        }
    }

    private void Remove(Entry entry)
    {
        lock (_gate)
            Set(Array.FindAll(_entries, other => other != entry));
    }

    private void Set(Entry[] entries)
    {
        Debug.Assert(Monitor.IsEntered(_gate));
        Volatile.Write(ref _entries, entries);
        IsActive = entries.Length > 0;
    }

    private sealed class Entry(HostTaps taps, MessageTap tap, bool includesSecrets) : IDisposable
    {
        public readonly MessageTap Tap = tap;

        public readonly bool IncludesSecrets = includesSecrets;

        public void Dispose() => taps.Remove(this);
    }
}
