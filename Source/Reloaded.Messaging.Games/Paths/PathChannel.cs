namespace Reloaded.Messaging.Games;

/// <summary>A channel whose datagrams take a path. It keeps the relay until it is disposed, and does nothing else.</summary>
internal sealed class PathChannel : DatagramChannel
{
    private readonly DatagramChannel _inner;
    private readonly PathRelay _relay;
    private int _isDisposed;

    /// <param name="inner">The channel that sends the datagrams. It is disposed with this channel.</param>
    /// <param name="remoteName">The name of the other side of the path.</param>
    /// <param name="relay">The relay, of which this channel is a user.</param>
    public PathChannel(DatagramChannel inner, string remoteName, PathRelay relay)
    {
        (_inner, RemoteName, _relay) = (inner, remoteName, relay);
        inner.BytesLeft = () => BytesLeft?.Invoke();
    }

    public override string RemoteName { get; }

    public override long? SentBytes => _inner.SentBytes;

    public override long? AcknowledgedProgress => _inner.AcknowledgedProgress;

    public override bool HasUnread => _inner.HasUnread;

    public override int LostFrames => _inner.LostFrames;

    public override int MaxMessageSize => _inner.MaxMessageSize;

    public override int MaxReliableMessageSize => _inner.MaxReliableMessageSize;

    public override string MaxMessageSizeAdvice => _inner.MaxMessageSizeAdvice;

    public override PathStatistics? Path => _inner.Path;

    public override long OutdatedDatagrams => _inner.OutdatedDatagrams;

    public override int PendingBytes => _inner.PendingBytes;

    public override bool TryQueue(ReadOnlySpan<byte> message, Delivery delivery, int maxPending, ReadOnlySpan<byte> before = default) => _inner.TryQueue(message, delivery, maxPending, before);

    public override bool HasRoom(int size, Delivery delivery, int maxPending) => _inner.HasRoom(size, delivery, maxPending);

    public override void Flush() => _inner.Flush();

    public override Task FlushAsync() => _inner.FlushAsync();

    public override void Seal(ReadOnlySpan<byte> last) => _inner.Seal(last);

    public override ValueTask SendAsync(ReadOnlyMemory<byte> frames, CancellationToken cancellationToken) => _inner.SendAsync(frames, cancellationToken);

    public override ValueTask<int> ReceiveAsync(Memory<byte> buffer, CancellationToken cancellationToken) => _inner.ReceiveAsync(buffer, cancellationToken);

    public override void Abort() => _inner.Abort();

    public override async ValueTask DisposeAsync()
    {
        await _inner.DisposeAsync().ConfigureAwait(false);
        if (Interlocked.Exchange(ref _isDisposed, 1) == 0)
            await _relay.ReleaseAsync().ConfigureAwait(false);
    }
}
