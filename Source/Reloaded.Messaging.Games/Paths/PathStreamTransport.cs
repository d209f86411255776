using System.Threading;
using System.Threading.Tasks;

namespace Reloaded.Messaging.Games;

/// <summary>A transport whose streams take a path.</summary>
/// <param name="inner">The transport that sends the bytes.</param>
/// <param name="path">The path.</param>
internal sealed class PathStreamTransport(Transport inner, NetworkPath path) : Transport
{
    private readonly Transport _inner = inner;
    private readonly NetworkPath _path = path;

    public override string Scheme => _inner.Scheme;

    public override bool IsEncrypted => _inner.IsEncrypted;

    public override bool RequiresToken => _inner.RequiresToken;

    public override bool AppliesProtection => _inner.AppliesProtection;

    public override string Describe(string name, int port) => _inner.Describe(name, port);

    public override async ValueTask<TransportListener> ListenAsync(TransportAddress address, TransportContext context) =>
        new Listener(await _inner.ListenAsync(ToInner(address), context).ConfigureAwait(false), address, _path, context);

    public override async ValueTask<TransportChannel> ConnectAsync(TransportAddress address, TransportContext context, CancellationToken cancellationToken) =>
        new PathStreamChannel(await _inner.ConnectAsync(ToInner(address), context, cancellationToken).ConfigureAwait(false), _path, context);

    public override bool Equals(object? obj) => obj is PathStreamTransport other && other._inner.Equals(_inner) && other._path == _path;

    public override int GetHashCode() => System.HashCode.Combine(_inner, _path);

    private TransportAddress ToInner(TransportAddress address) => new(_inner, address.Name, address.Port) { IPAddresses = address.IPAddresses };

    private sealed class Listener(TransportListener inner, TransportAddress address, NetworkPath path, TransportContext context) : TransportListener
    {
        public override TransportAddress Address { get; } = address.WithPort(inner.Address.Port);

        public override async ValueTask<TransportChannel?> AcceptAsync(CancellationToken cancellationToken) =>
            await inner.AcceptAsync(cancellationToken).ConfigureAwait(false) is { } accepted ? new PathStreamChannel(accepted, path, context) : null;

        public override ValueTask DisposeAsync() => inner.DisposeAsync();
    }
}
