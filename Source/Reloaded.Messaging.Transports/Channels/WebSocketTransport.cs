namespace Reloaded.Messaging;

/// <summary>Connects hosts and browsers through WebSockets, over TCP or TLS.</summary>
internal sealed class WebSocketTransport(WebSocketEndpointOptions options, TlsOptions? tls) : Transport
{
    private readonly WebSocketEndpointOptions _options = options;
    private readonly TlsOptions? _tls = tls;

    public static readonly WebSocketTransport Default = new(new WebSocketEndpointOptions(), tls: null);

    public override string Scheme => _tls is null ? "ws" : "wss";

    public override bool IsEncrypted => _tls is not null;

    public override bool RequiresToken => true;

    public override string Describe(string name, int port) => base.Describe(name, port) + _options.Path;

    public override ValueTask<TransportListener> ListenAsync(TransportAddress address, TransportContext context)
    {
        if (_options.RequireToken && context.Token.IsEmpty)
        {
            throw new InvalidOperationException(
                $"The server at {address} has no token. Every program of this machine can connect to it. Set MessageHostOptions.Token on both sides, for example to RandomNumberGenerator.GetBytes(32).");
        }

        var encrypt = _tls is null ? null : TlsServer.Prepare(address, _tls); // first, because the certificate may be missing
        var listener = SocketListener.ListenTcp(address);
        return new ValueTask<TransportListener>(Upgrade(encrypt is null ? listener : encrypt(listener)));
    }

    public override async ValueTask<TransportChannel> ConnectAsync(TransportAddress address, TransportContext context, CancellationToken cancellationToken)
    {
        var connected = await TlsClient.ConnectAsync(address, _tls, context.HandshakeTimeout, cancellationToken).ConfigureAwait(false);
        var channel = new WebSocketChannel(connected, WebSocketUpgrade.AskAsync(connected, address, _options.Path));
        return await channel.OpenAsync(
            context.HandshakeTimeout,
            $"{address} accepted the connection, but did not answer as a WebSocket server within HostLimits.HandshakeTimeout ({context.HandshakeTimeout}). Check the port, and whether the server uses TLS.",
            cancellationToken).ConfigureAwait(false);
    }

    public override bool Equals(object? obj) => obj is WebSocketTransport other && other._options.IsSameAs(_options) && other._tls == _tls;

    public override int GetHashCode() => HashCode.Combine(nameof(WebSocketTransport), _options.Path, _tls);

    private WrappedListener Upgrade(TransportListener listener) =>
        new(listener, accepted => new WebSocketChannel(accepted, WebSocketUpgrade.AnswerAsync(accepted, listener.Address, _options)));
}
