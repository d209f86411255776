using System;
using System.Buffers.Binary;
using System.Net;
using System.Net.Sockets;
using System.Security.Cryptography;
using System.Threading;
using System.Threading.Tasks;
using Reloaded.Messaging.Hosting.Channels.Sockets;
using Reloaded.Messaging.Hosting.Handshake;
using Reloaded.Messaging.Hosting.Protection;

namespace Reloaded.Messaging.Hosting.Channels.Udp;

/// <summary>Makes a connection: says hello until there is a cookie, and shows it until there is an answer.</summary>
internal static class UdpConnector
{
    private const int TriesPerCookie = 8;

    private static readonly TimeSpan s_firstWait = TimeSpan.FromMilliseconds(100);
    private static readonly TimeSpan s_longestWait = TimeSpan.FromMilliseconds(500);

    public static async ValueTask<MessageChannel> ConnectAsync(Endpoint endpoint, HostOptions options, DatagramCounts counts, CancellationToken cancellationToken)
    {
        var shared = options.Protection?.SharedWith(options) ?? default;
        var remote = new IPEndPoint(await TcpAddress.ResolveAsync(endpoint, cancellationToken).ConfigureAwait(false), endpoint.Port);
        using var exchange = options.Protection is { } protection ? new KeyExchange(protection, shared, isDatagrams: true) : null;
        Socket? socket = null;
        using var deadline = CancellationTokenSource.CreateLinkedTokenSource(cancellationToken);
        deadline.CancelAfter(options.Limits.HandshakeTimeout);
        try
        {
            socket = new Socket(remote.AddressFamily, SocketType.Dgram, ProtocolType.Udp);
            UdpSocket.Prepare(socket);
            await socket.ConnectAsync(remote, cancellationToken).ConfigureAwait(false); // from now on the system drops what comes from elsewhere
            var accept = await AskAsync(socket, exchange, endpoint, deadline.Token).ConfigureAwait(false);
            var id = accept.AsSpan(1 + DatagramFormat.RandomSize, DatagramFormat.IdSize).ToArray();
            SessionKeys? keys = null;
            if (exchange is not null && (keys = exchange.TryFinish(accept.AsSpan(DatagramFormat.AcceptHeader), out _)) is null)
            {
                UdpSocket.Send(socket, [DatagramFormat.Refuse, .. id, (byte)DisconnectReason.WrongProtection], null);
                throw new HandshakeException(DisconnectReason.WrongProtection, endpoint.ToString());
            }

            return UdpClientPort.Open(socket, BinaryPrimitives.ReadUInt64LittleEndian(id), keys, options, counts, endpoint.ToString());
        }
        catch (Exception e)
        {
            socket?.Dispose();
            switch (e)
            {
                case SocketException:
                    throw new ChannelClosedException($"Connecting to {endpoint} failed: {e.Message}. Is the server running, as this user?", e);
                case OperationCanceledException when !cancellationToken.IsCancellationRequested:
                    throw new ChannelClosedException(
                        DisconnectReason.HandshakeTimeout, $"Connecting to {endpoint} failed: nothing answered within {options.Limits.HandshakeTimeout}. Is the server running?", e);
                default:
                    throw;
            }
        }
    }

    /// <returns>The server's acceptance.</returns>
    private static async Task<byte[]> AskAsync(Socket socket, KeyExchange? exchange, Endpoint endpoint, CancellationToken cancellationToken)
    {
        var random = RandomNumberGenerator.GetBytes(DatagramFormat.RandomSize);
        var hello = new byte[DatagramFormat.HelloSize];
        DatagramFormat.Magic.CopyTo(hello);
        random.CopyTo(hello, DatagramFormat.Magic.Length);
        var (asking, wait, tries) = (hello, s_firstWait, 0);
        var buffer = new byte[2048];
        while (true)
        {
            if (tries++ == TriesPerCookie)
                (asking, tries) = (hello, 1); // the cookie is too old by now
            UdpSocket.Send(socket, asking, null);
            var until = Environment.TickCount64 + (long)wait.TotalMilliseconds;
            while (await ReceiveAsync(socket, buffer, until, cancellationToken).ConfigureAwait(false) is > 0 and var size)
            {
                switch (Recognize(buffer.AsSpan(0, size), random, exchange))
                {
                    case DatagramFormat.Accept:
                        return buffer[..size];
                    case DatagramFormat.Refuse:
                        throw new HandshakeException(DisconnectReason.WrongProtection, endpoint.ToString());
                    case DatagramFormat.Cookie when asking == hello:
                        asking = [DatagramFormat.Connect, .. buffer.AsSpan(1, size - 1), .. exchange is null ? default : exchange.Offer.Span];
                        (wait, tries, until) = (s_firstWait, 0, 0);
                        break;
                }
            }

            if (until > 0)
                wait = wait + wait < s_longestWait ? wait + wait : s_longestWait;
        }
    }

    /// <returns>What the datagram is, if it is for this attempt, and of a size that it may have; otherwise 0.</returns>
    private static byte Recognize(ReadOnlySpan<byte> datagram, ReadOnlySpan<byte> random, KeyExchange? exchange)
    {
        if (datagram.Length < 1 + DatagramFormat.RandomSize || !datagram.Slice(1, DatagramFormat.RandomSize).SequenceEqual(random))
            return 0;
        var size = datagram[0] switch
        {
            DatagramFormat.Cookie => 1 + DatagramFormat.RandomSize + Cookies.Size,
            DatagramFormat.Accept => DatagramFormat.AcceptHeader + (exchange is null ? 0 : exchange.Offer.Length + KeyExchange.ProofSize),
            DatagramFormat.Refuse => DatagramFormat.RefuseSize,
            _ => 0,
        };
        return datagram.Length == size ? datagram[0] : (byte)0;
    }

    /// <returns>The size of a datagram; 0 if none came in time.</returns>
    private static async ValueTask<int> ReceiveAsync(Socket socket, byte[] buffer, long until, CancellationToken cancellationToken)
    {
        var left = until - Environment.TickCount64;
        if (left <= 0)
            return 0;
        using var waiting = CancellationTokenSource.CreateLinkedTokenSource(cancellationToken);
        waiting.CancelAfter(TimeSpan.FromMilliseconds(left));
        try
        {
            return await socket.ReceiveAsync(buffer, SocketFlags.None, waiting.Token).ConfigureAwait(false);
        }
        catch (OperationCanceledException) when (!cancellationToken.IsCancellationRequested)
        {
            return 0;
        }
    }
}
