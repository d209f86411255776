namespace Reloaded.Messaging;

/// <summary>Connects hosts over TCP, with TLS if TLS options are set.</summary>
internal sealed class TcpTransport(TlsOptions? tls = null) : Transport
{
    private readonly TlsOptions? _tls = tls;

    public static readonly TcpTransport Plain = new();

    public override string Scheme => "tcp";

    public override bool IsEncrypted => _tls is not null;

    public override bool RequiresToken => true;

    public override ValueTask<TransportListener> ListenAsync(TransportAddress address, TransportContext context)
    {
        var encrypt = _tls is null ? null : TlsServer.Prepare(address, _tls); // first, because the certificate may be missing
        var listener = SocketListener.ListenTcp(address);
        return new ValueTask<TransportListener>(encrypt is null ? listener : encrypt(listener));
    }

    public override ValueTask<TransportChannel> ConnectAsync(TransportAddress address, TransportContext context, CancellationToken cancellationToken) =>
        TlsClient.ConnectAsync(address, _tls, context.HandshakeTimeout, cancellationToken);

    public override bool Equals(object? obj) => obj is TcpTransport other && other._tls == _tls;

    public override int GetHashCode() => HashCode.Combine(nameof(TcpTransport), _tls);
}
