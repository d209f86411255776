namespace Reloaded.Messaging;

/// <summary>A connection over a socket or a pipe that the system closes when the other process ends. It also carries wake-ups on systems without another way.</summary>
/// <param name="channel">The connection. The lifeline owns it.</param>
/// <param name="map">The map of the rings.</param>
/// <param name="signals">Receive the wake-ups.</param>
internal sealed class Lifeline(TransportChannel channel, SharedMap map, WakeSignals signals)
{
    private volatile bool _isOtherGone;

    /// <summary>Whether the other process has ended, or has closed its side.</summary>
    public bool IsOtherGone => _isOtherGone;

    /// <summary>Receives until the other process ends.</summary>
    /// <param name="file">The name of the map, removed once the other side has mapped it; <c>null</c> on the side that did not create it.</param>
    /// <param name="ended">Called after <see cref="IsOtherGone"/> is set.</param>
    public async Task WatchAsync(MapFile? file, Action ended)
    {
        var buffer = new byte[64];
        try
        {
            while (await channel.ReceiveAsync(buffer, default).ConfigureAwait(false) is > 0 and var received)
            {
                foreach (var code in buffer.AsSpan(0, received))
                {
                    if (code == LifelineCode.Mapped)
                        file?.Dispose();
                    else if (map.TryEnter())
                    {
                        signals.Receive(code);
                        map.Exit();
                    }
                }
            }
        }
        catch (TransportClosedException)
        {
            // The usual end of a process that was killed.
        }
        finally
        {
            file?.Dispose();
            _isOtherGone = true;
            ended();
        }
    }

    public void Abort() => channel.Abort();

    public ValueTask DisposeAsync() => channel.DisposeAsync();
}

/// <summary>The bytes that are sent over the lifeline, a socket or pipe.</summary>
internal static class LifelineCode
{
    /// <summary>The client has mapped the map: its name can go.</summary>
    public const byte Mapped = 1;

    /// <summary>Wakes the thread that waits for bytes, where there is no other way.</summary>
    public const byte WakeConsumer = 2;

    /// <summary>Wakes the thread that waits for room, where there is no other way.</summary>
    public const byte WakeProducer = 3;
}
