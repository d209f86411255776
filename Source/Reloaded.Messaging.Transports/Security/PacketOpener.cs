using System;

namespace Reloaded.Messaging;

/// <summary>Decrypts what the other side sent, once each, and follows it from key to key.</summary>
/// <remarks>
/// A packet says its epoch by the lowest byte. It is believed as soon as the packet opens: the next key is kept beside the current one until
/// then, so that who makes up packets makes nobody derive keys. The last one is kept as long as packets of it may be within the window.
/// Thread-safe: a connection may be freed while it receives.
/// </remarks>
internal sealed class PacketOpener(TrafficKey key) : IDisposable
{
    private readonly object _gate = new();
    private TrafficKey? _last;
    private TrafficKey? _current = key;
    private TrafficKey? _next;
    private ReplayWindow? _window;
    private ulong _epochStart;
    private ulong _expected;

    /// <summary>Decrypts a datagram: any order, each once.</summary>
    /// <param name="epoch">The lowest byte of its epoch, as it says.</param>
    /// <param name="number">Its number, as it says.</param>
    /// <param name="packet">Ciphertext and tag.</param>
    /// <param name="plain">Room for as much; may start where <paramref name="packet"/> does.</param>
    public OpenStatus TryOpen(byte epoch, ulong number, ReadOnlySpan<byte> packet, Span<byte> plain)
    {
        lock (_gate)
        {
            _window ??= new ReplayWindow();
            if (_window.Check(number) is var status and not OpenStatus.Ok)
                return _current is null ? OpenStatus.Closed : status;
            status = TryOpenInside(epoch, number, packet, plain);
            if (status == OpenStatus.Ok)
            {
                _window.Note(number);
                if (_last is not null && _window.Newest - _epochStart >= ReplayWindow.Size)
                    Drop(ref _last);
            }

            return status;
        }
    }

    /// <summary>Decrypts the next packet of a stream: in order, none missing.</summary>
    /// <inheritdoc cref="TryOpen"/>
    public OpenStatus TryOpenNext(byte epoch, ReadOnlySpan<byte> packet, Span<byte> plain)
    {
        lock (_gate)
        {
            var status = TryOpenInside(epoch, _expected, packet, plain);
            if (status != OpenStatus.Ok)
                return status;
            _expected++;
            Drop(ref _last);
            return OpenStatus.Ok;
        }
    }

    public void Dispose()
    {
        lock (_gate)
        {
            Drop(ref _last);
            Drop(ref _current);
            Drop(ref _next);
        }
    }

    private static void Drop(ref TrafficKey? key)
    {
        key?.Dispose();
        key = null;
    }

    private OpenStatus TryOpenInside(byte epoch, ulong number, ReadOnlySpan<byte> packet, Span<byte> plain)
    {
        if (_current is null)
            return OpenStatus.Closed;
        if (packet.Length < TrafficKey.TagSize)
            return OpenStatus.Forged;
        if (epoch == (byte)_current.Epoch)
            return Open(_current, number, packet, plain);
        if (_last is not null && epoch == (byte)_last.Epoch)
            return Open(_last, number, packet, plain);
        if (epoch != (byte)(_current.Epoch + 1))
            return OpenStatus.Forged;

        _next ??= _current.Next();
        if (!_next.TryOpen(number, packet, plain))
            return OpenStatus.Forged;
        Drop(ref _last);
        (_last, _current, _next) = (_current, _next, null);
        _epochStart = number;
        return OpenStatus.Ok;
    }

    private static OpenStatus Open(TrafficKey key, ulong number, ReadOnlySpan<byte> packet, Span<byte> plain) =>
        key.TryOpen(number, packet, plain) ? OpenStatus.Ok : OpenStatus.Forged;
}
