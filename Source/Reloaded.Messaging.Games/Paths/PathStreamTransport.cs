namespace Reloaded.Messaging.Games;

/// <summary>A transport whose streams take a path.</summary>
/// <param name="inner">The transport that sends the bytes.</param>
/// <param name="path">The path.</param>
internal sealed class PathStreamTransport(Transport inner, NetworkPath path) : PathTransport(inner, path)
{
    public override async ValueTask<TransportListener> ListenAsync(TransportAddress address, TransportContext context) =>
        new Listener(await Inner.ListenAsync(ToInner(address), context).ConfigureAwait(false), address, Path, context);

    public override async ValueTask<TransportChannel> ConnectAsync(TransportAddress address, TransportContext context, CancellationToken cancellationToken) =>
        new PathStreamChannel(await Inner.ConnectAsync(ToInner(address), context, cancellationToken).ConfigureAwait(false), Path, context);

    private TransportAddress ToInner(TransportAddress address) => new(Inner, address.Name, address.Port) { IPAddresses = address.IPAddresses };

    private sealed class Listener(TransportListener inner, TransportAddress address, NetworkPath path, TransportContext context) : TransportListener
    {
        public override TransportAddress Address { get; } = address.WithPort(inner.Address.Port);

        public override async ValueTask<TransportChannel?> AcceptAsync(CancellationToken cancellationToken) =>
            await inner.AcceptAsync(cancellationToken).ConfigureAwait(false) is { } accepted ? new PathStreamChannel(accepted, path, context) : null;

        public override ValueTask DisposeAsync() => inner.DisposeAsync();
    }
}
