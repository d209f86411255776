using System;
using System.Net.Sockets;
using System.Threading;
using System.Threading.Tasks;

namespace Reloaded.Messaging;

/// <summary>Connects to a server over UDP.</summary>
internal static class UdpConnector
{
    public static async ValueTask<TransportChannel> ConnectAsync(TransportAddress address, UdpOptions options, TransportContext context, CancellationToken cancellationToken)
    {
        var secret = context.Protection?.GetSecret(context) ?? default;
        var remote = address.FirstEndPoint;
        using var exchange = context.Protection is { } protection ? new KeyExchange(protection, secret, isDatagrams: true) : null;
        Socket? socket = null;
        UdpHandshake? handshake = null;
        using var deadline = CancellationTokenSource.CreateLinkedTokenSource(cancellationToken);
        deadline.CancelAfter(context.HandshakeTimeout);
        try
        {
            socket = new Socket(remote.AddressFamily, SocketType.Dgram, ProtocolType.Udp);
            handshake = new UdpHandshake(socket, exchange, context.Datagrams);
            UdpSocket.Prepare(socket);
            await socket.ConnectAsync(remote, cancellationToken).ConfigureAwait(false); // the system now drops datagrams from other addresses
            if (await handshake.RunAsync(deadline.Token).ConfigureAwait(false))
                return UdpClientPort.Open(socket, handshake.Id, handshake.Random, handshake.Keys, options, context.Datagrams, address.ToString());
            handshake.SendRefusal();
            throw Refused(address, handshake.Refusal!.Value);
        }
        catch (Exception e)
        {
            socket?.Dispose();
            switch (e)
            {
                case SocketException failure:
                    throw new TransportClosedException(ConnectFailure.Describe(address, failure), e);
                case OperationCanceledException when !cancellationToken.IsCancellationRequested && handshake?.Refusal is { } refusal:
                    throw Refused(address, refusal);
                case OperationCanceledException when !cancellationToken.IsCancellationRequested:
                    throw new TransportClosedException(
                        TransportCloseReason.HandshakeTimeout, $"Connecting to {address} failed: the server did not answer within {context.HandshakeTimeout}. Is the server running?", e);
                default:
                    throw;
            }
        }
    }

    private static TransportClosedException Refused(TransportAddress address, TransportCloseReason reason) =>
        new(reason, $"{address} refused the connection: {reason}. Give both sides the same Protection and the same Token.");
}
