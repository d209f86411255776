namespace Reloaded.Messaging;

/// <summary>One side of a connection over shared memory.</summary>
/// <remarks>
/// <para>
/// Bytes go through two rings. A second channel, over a socket or a pipe, is silent while both sides live. The system closes it when the other
/// process ends, however that ends: so a death is noticed at once.
/// </para>
/// <para>
/// A receive copies its bytes out of the map before anything looks at them, since the other process can change the map at any time. A receive
/// that waits is completed on a thread of the channel, which then handles the messages. That saves a hop through the thread pool.
/// </para>
/// </remarks>
internal sealed class SharedMemoryChannel : TransportChannel
{
    private readonly SharedMap _map;
    private readonly Lifeline _lifeline;
    private readonly RingSide _side;

    /// <param name="map">The map; the channel's from now on, with the signals.</param>
    /// <param name="capacity">The size of each ring.</param>
    /// <param name="isServer">Which of the rings this side writes.</param>
    /// <param name="lifeline">The connection that ends with the other process. The channel owns it.</param>
    /// <param name="signals">How sleeping threads are woken.</param>
    /// <param name="spinTime">How long to spin before sleeping; <c>null</c> to adapt the time.</param>
    /// <param name="remoteName">The name of the other side.</param>
    public SharedMemoryChannel(SharedMap map, int capacity, bool isServer, TransportChannel lifeline, WakeSignals signals, TimeSpan? spinTime, string remoteName)
    {
        (_map, _lifeline, RemoteName) = (map, new Lifeline(lifeline, map, signals), remoteName);
        map.FreedWithMap = signals;
        _side = new RingSide(map, capacity, isServer, _lifeline, signals, spinTime, remoteName);
    }

    public override string RemoteName { get; }

    public override long? SentBytes
    {
        get
        {
            if (!_map.TryEnter())
                return null;
            var taken = _side.SentBytes;
            _map.Exit();
            return taken;
        }
    }

    public override bool HasUnread
    {
        get
        {
            if (!_map.TryEnter())
                return false;
            var hasBytes = _side.HasBytes;
            _map.Exit();
            return hasBytes;
        }
    }

    public override ValueTask<int> ReceiveAsync(Memory<byte> buffer, CancellationToken cancellationToken)
    {
        if (cancellationToken.IsCancellationRequested)
            return new ValueTask<int>(Task.FromCanceled<int>(cancellationToken));
        if (!_map.TryEnter())
            return new ValueTask<int>(Task.FromException<int>(_side.Closed()));
        try
        {
            return _side.ReceiveAsync(buffer, cancellationToken);
        }
        finally
        {
            _map.Exit();
        }
    }

    public override ValueTask SendAsync(ReadOnlyMemory<byte> frames, CancellationToken cancellationToken)
    {
        if (cancellationToken.IsCancellationRequested)
            return new ValueTask(Task.FromCanceled(cancellationToken));
        if (!_map.TryEnter())
            return new ValueTask(Task.FromException(_side.Closed()));
        try
        {
            return _side.SendAsync(frames, cancellationToken);
        }
        finally
        {
            _map.Exit();
        }
    }

    public override void Abort() => Close(RingEnd.Aborted);

    /// <summary>Ends this side. The remote side keeps the memory, and so receives all bytes that were sent.</summary>
    public override ValueTask DisposeAsync()
    {
        Close(RingEnd.Complete);
        return _lifeline.DisposeAsync();
    }

    /// <summary>Begins to look for the end of the other process.</summary>
    /// <param name="file">The name of the map, removed once the other side has mapped it; <c>null</c> on the side that did not create it.</param>
    public void Watch(MapFile? file) => _ = Detached.Run(() => _lifeline.WatchAsync(file, Notify));

    /// <summary>Ends this side. The first call counts: after it, the map cannot be entered.</summary>
    private void Close(RingEnd end)
    {
        _side.EndWaits();
        if (_map.TryEnter())
        {
            _side.End(end);
            _map.Exit();
        }

        Notify();
        _lifeline.Abort();
        _map.Dispose();
    }

    private void Notify()
    {
        if (!_map.TryEnter())
            return;
        _side.Notify();
        _map.Exit();
    }
}
