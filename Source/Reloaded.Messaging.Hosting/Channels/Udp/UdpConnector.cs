using System;
using System.Net;
using System.Net.Sockets;
using System.Threading;
using System.Threading.Tasks;

namespace Reloaded.Messaging.Hosting;

/// <summary>Connects to a server by datagrams.</summary>
internal static class UdpConnector
{
    public static async ValueTask<TransportChannel> ConnectAsync(MessageEndpoint endpoint, MessageHostOptions options, DatagramCounts counts, CancellationToken cancellationToken)
    {
        var shared = options.Protection?.SharedWith(options) ?? default;
        var remote = new IPEndPoint(await TcpAddress.ResolveAsync(endpoint, cancellationToken).ConfigureAwait(false), endpoint.Port);
        using var exchange = options.Protection is { } protection ? new KeyExchange(protection, shared, isDatagrams: true) : null;
        Socket? socket = null;
        UdpHandshake? handshake = null;
        using var deadline = CancellationTokenSource.CreateLinkedTokenSource(cancellationToken);
        deadline.CancelAfter(options.Limits.HandshakeTimeout);
        try
        {
            socket = new Socket(remote.AddressFamily, SocketType.Dgram, ProtocolType.Udp);
            handshake = new UdpHandshake(socket, exchange, counts);
            UdpSocket.Prepare(socket);
            await socket.ConnectAsync(remote, cancellationToken).ConfigureAwait(false); // from now on the system drops what comes from elsewhere
            if (await handshake.RunAsync(deadline.Token).ConfigureAwait(false))
                return UdpClientPort.Open(socket, handshake.Id, handshake.Random, handshake.Keys, options, counts, endpoint.ToString());
            handshake.SendRefusal();
            throw new HandshakeException(handshake.Refusal!.Value, endpoint.ToString());
        }
        catch (Exception e)
        {
            socket?.Dispose();
            switch (e)
            {
                case SocketException:
                    throw new TransportClosedException($"Connecting to {endpoint} failed: {e.Message}. Is the server running, as this user?", e);
                case OperationCanceledException when !cancellationToken.IsCancellationRequested && handshake?.Refusal is { } refusal:
                    throw new HandshakeException(refusal, endpoint.ToString());
                case OperationCanceledException when !cancellationToken.IsCancellationRequested:
                    throw new TransportClosedException(
                        DisconnectReason.HandshakeTimeout, $"Connecting to {endpoint} failed: nothing answered within {options.Limits.HandshakeTimeout}. Is the server running?", e);
                default:
                    throw;
            }
        }
    }
}
