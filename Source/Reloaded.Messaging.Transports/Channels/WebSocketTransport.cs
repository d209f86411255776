using System;
using System.Threading;
using System.Threading.Tasks;

namespace Reloaded.Messaging;

/// <summary>Connects hosts and browsers through WebSockets, over TCP or TLS.</summary>
internal sealed class WebSocketTransport(WebSocketEndpointOptions options) : Transport
{
    private readonly WebSocketEndpointOptions _options = options;

    public static readonly WebSocketTransport Default = new(new WebSocketEndpointOptions());

    public override string Scheme => _options.Tls is null ? "ws" : "wss";

    public override bool IsEncrypted => _options.Tls is not null;

    public override bool RequiresToken => true;

    public override string Describe(string name, int port) => base.Describe(name, port) + _options.Path;

    public override ValueTask<TransportListener> ListenAsync(TransportAddress address, TransportContext context)
    {
        if (_options.RequireToken && context.Token.IsEmpty)
        {
            throw new InvalidOperationException(
                $"The server at {address} has no token. Every program of this machine can connect to it. Set MessageHostOptions.Token on both sides, for example to RandomNumberGenerator.GetBytes(32).");
        }

        var encrypt = _options.Tls is null ? null : TlsServer.Prepare(address, _options.Tls); // first, because the certificate may be missing
        var listener = SocketListener.ListenTcp(address);
        return new ValueTask<TransportListener>(Upgrade(encrypt is null ? listener : encrypt(listener)));
    }

    public override async ValueTask<TransportChannel> ConnectAsync(TransportAddress address, TransportContext context, CancellationToken cancellationToken)
    {
        var connected = await SocketConnector.ConnectToAnyAsync(address, cancellationToken).ConfigureAwait(false);
        if (_options.Tls is not null)
            connected = await TlsClient.EncryptAsync(connected, address, _options.Tls, context.HandshakeTimeout, cancellationToken).ConfigureAwait(false);
        var channel = new WebSocketChannel(connected, WebSocketUpgrade.AskAsync(connected, address, _options.Path));
        try
        {
            await channel.OpenAsync(default).WaitAsync(context.HandshakeTimeout, cancellationToken).ConfigureAwait(false);
            return channel;
        }
        catch (Exception e)
        {
            channel.Abort();
            await channel.DisposeAsync().ConfigureAwait(false);
            if (e is not TimeoutException)
                throw;
            throw new TransportClosedException(
                TransportCloseReason.HandshakeTimeout,
                $"{address} accepted the connection, but did not answer as a WebSocket server within HostLimits.HandshakeTimeout ({context.HandshakeTimeout}). Check the port, and whether the server uses TLS.",
                e);
        }
    }

    public override bool Equals(object? obj) => obj is WebSocketTransport other && other._options == _options;

    public override int GetHashCode() => HashCode.Combine(nameof(WebSocketTransport), _options);

    private WrappedListener Upgrade(TransportListener listener) =>
        new(listener, accepted => new WebSocketChannel(accepted, WebSocketUpgrade.AnswerAsync(accepted, listener.Address, _options)));
}
