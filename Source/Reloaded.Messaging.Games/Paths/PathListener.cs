namespace Reloaded.Messaging.Games;

/// <summary>Accepts the clients that come over the relay of a server.</summary>
/// <param name="inner">The listener behind the relay. It is disposed with this listener.</param>
/// <param name="address">The address of the relay.</param>
/// <param name="relay">The relay. It ends after this listener and the accepted channels.</param>
internal sealed class PathListener(TransportListener inner, TransportAddress address, PathRelay relay) : TransportListener
{
    private int _isDisposed;

    public override TransportAddress Address => address;

    public override async ValueTask<TransportChannel?> AcceptAsync(CancellationToken cancellationToken)
    {
        if (await inner.AcceptAsync(cancellationToken).ConfigureAwait(false) is not { } accepted)
            return null;
        relay.AddUser();
        return new PathChannel((DatagramChannel)accepted, accepted.RemoteName, relay);
    }

    public override async ValueTask DisposeAsync()
    {
        await inner.DisposeAsync().ConfigureAwait(false);
        if (Interlocked.Exchange(ref _isDisposed, 1) == 0)
            await relay.ReleaseAsync().ConfigureAwait(false);
    }
}
