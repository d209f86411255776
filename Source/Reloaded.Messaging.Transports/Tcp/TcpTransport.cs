using System;
using System.Net;
using System.Threading;
using System.Threading.Tasks;

namespace Reloaded.Messaging;

/// <summary>Connects hosts over TCP, with TLS if TLS options are set.</summary>
internal sealed class TcpTransport(TlsOptions? tls = null) : Transport
{
    private readonly TlsOptions? _tls = tls;

    public static TcpTransport Plain { get; } = new();

    public override string Scheme => "tcp";

    public override bool IsStream => true;

    public override bool IsEncrypted => _tls is not null;

    public override bool RequiresToken => true;

    public override ValueTask<TransportListener> ListenAsync(TransportAddress address, TransportContext context)
    {
        var encrypt = _tls is null ? null : TlsServer.Prepare(address, _tls); // first, because the certificate may be missing
        var listener = SocketListener.ListenTcp(address);
        return new ValueTask<TransportListener>(encrypt is null ? listener : encrypt(listener));
    }

    public override async ValueTask<TransportChannel> ConnectAsync(TransportAddress address, TransportContext context, CancellationToken cancellationToken)
    {
        var connected = await ConnectToAnyAsync(address, cancellationToken).ConfigureAwait(false);
        return _tls is null ? connected : await TlsClient.EncryptAsync(connected, address, _tls, context.HandshakeTimeout, cancellationToken).ConfigureAwait(false);
    }

    public override bool Equals(object? obj) => obj is TcpTransport other && other._tls == _tls;

    public override int GetHashCode() => HashCode.Combine(nameof(TcpTransport), _tls);

    /// <summary>Connects to the first reachable address of a host. For example, localhost may resolve to ::1 first while the server listens at 127.0.0.1.</summary>
    private static async ValueTask<TransportChannel> ConnectToAnyAsync(TransportAddress address, CancellationToken cancellationToken)
    {
        for (var i = 0; ; i++)
        {
            try
            {
                return await SocketConnector.ConnectAsync(address, new IPEndPoint(address.IPAddresses[i], address.Port), cancellationToken).ConfigureAwait(false);
            }
            catch (TransportClosedException) when (i + 1 < address.IPAddresses.Count)
            {
                // Try the next address.
            }
        }
    }
}
