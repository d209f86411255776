using System.Runtime.CompilerServices;

namespace Reloaded.Messaging;

/// <summary>A channel that changes bytes and sends them through another channel, which it owns.</summary>
/// <param name="inner">The channel that carries the bytes.</param>
internal abstract class WrappedChannel(TransportChannel inner) : TransportChannel
{
    private int _isClosed;

    public override string RemoteName => inner.RemoteName;

    public override string? RemoteIdentity => inner.RemoteIdentity;

    public override long? SentBytes => inner.SentBytes;

    public override bool HasUnread => inner.HasUnread;

    public override int LostFrames => inner.LostFrames;

    protected TransportChannel Inner => inner;

    /// <summary>Whether this side has closed the channel.</summary>
    protected bool IsClosed => Volatile.Read(ref _isClosed) != 0;

    /// <summary>Closes the channel on this side.</summary>
    /// <returns><see langword="true"/> for the first call; otherwise, <see langword="false"/>.</returns>
    protected bool TryClose() => Interlocked.Exchange(ref _isClosed, 1) == 0;

    protected void ThrowIfClosed()
    {
        if (IsClosed)
            throw ClosedHere();
    }

    protected TransportClosedException ClosedHere() => TransportClosedException.Here(RemoteName);

    /// <summary>Observes the exception of a task that may have no waiter.</summary>
    protected static T Observe<T>(T task)
        where T : Task
    {
        _ = task.ContinueWith(
            static failed => _ = failed.Exception,
            CancellationToken.None,
            TaskContinuationOptions.OnlyOnFaulted | TaskContinuationOptions.ExecuteSynchronously,
            TaskScheduler.Default);
        return task;
    }
}

/// <summary>Wraps the channels that another listener accepts. Accepting waits for no handshake; each handshake runs in its channel.</summary>
/// <param name="inner">The listener. It is disposed with this listener.</param>
/// <param name="wrap">Wraps an accepted channel.</param>
internal sealed class WrappedListener(TransportListener inner, Func<TransportChannel, WrappedChannel> wrap) : TransportListener
{
    public override TransportAddress Address => inner.Address;

    public override ReadOnlyMemory<byte> Token => inner.Token;

    public override async ValueTask<TransportChannel?> AcceptAsync(CancellationToken cancellationToken) =>
        await inner.AcceptAsync(cancellationToken).ConfigureAwait(false) is { } accepted ? wrap(accepted) : null;

    public override ValueTask DisposeAsync() => inner.DisposeAsync();
}
