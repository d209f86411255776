using System.Buffers;
using System.Buffers.Binary;
using System.Diagnostics.CodeAnalysis;
using System.Net;
using System.Net.Sockets;

namespace Reloaded.Messaging;

/// <summary>Connects hosts over UDP, and protects each datagram separately.</summary>
internal sealed class UdpTransport : Transport
{
    public static readonly UdpTransport Default = new(UdpOptions.Default);

    private readonly UdpOptions _options;

    private UdpTransport(UdpOptions options) => _options = options;

    public override string Scheme => "udp";

    public override bool AppliesProtection => true;

    /// <exception cref="ArgumentOutOfRangeException">Thrown when the number of fragments is out of range.</exception>
    public static UdpTransport Create(int maxFragments) => maxFragments == 1 ? Default : new UdpTransport(new UdpOptions { MaxFragments = Guard.Between(1, byte.MaxValue, maxFragments, nameof(maxFragments)) });

    public override ValueTask<TransportListener> ListenAsync(TransportAddress address, TransportContext context) => new(UdpListener.Listen(address, _options, context));

    public override ValueTask<TransportChannel> ConnectAsync(TransportAddress address, TransportContext context, CancellationToken cancellationToken) =>
        UdpConnector.ConnectAsync(address, _options, context, cancellationToken);

    public override bool Equals(object? obj) => obj is UdpTransport other && other._options.MaxFragments == _options.MaxFragments;

    public override int GetHashCode() => HashCode.Combine(nameof(UdpTransport), _options.MaxFragments);
}

/// <summary>Connects to a server over UDP.</summary>
internal static class UdpConnector
{
    public static async ValueTask<TransportChannel> ConnectAsync(TransportAddress address, UdpOptions options, TransportContext context, CancellationToken cancellationToken)
    {
        var settings = ExchangeSettings.Prepare(context, isDatagrams: true, isServer: false);
        var remote = address.FirstEndPoint;
        using var exchange = settings is null ? null : new KeyExchange(settings);
        Socket? socket = null;
        UdpHandshake? handshake = null;
        using var timeout = new CancellationTokenSource(context.HandshakeTimeout, context.TimeProvider);
        using var deadline = CancellationTokenSource.CreateLinkedTokenSource(cancellationToken, timeout.Token);
        try
        {
            socket = new Socket(remote.AddressFamily, SocketType.Dgram, ProtocolType.Udp);
            handshake = new UdpHandshake(socket, exchange, context.Datagrams, context.TimeProvider);
            UdpSocket.Prepare(socket);
            await socket.ConnectAsync(remote, cancellationToken).ConfigureAwait(false); // the system now drops datagrams from other addresses
            if (await handshake.RunAsync(deadline.Token).ConfigureAwait(false))
                return UdpClientPort.Open(socket, handshake, options, context, address.ToString());
            throw Refused(address, handshake, context);
        }
        catch (Exception e)
        {
            socket?.Dispose();
            switch (e)
            {
                case SocketException failure:
                    throw new TransportClosedException(SocketFailure.DescribeConnect(address, failure), e);
                case OperationCanceledException when !cancellationToken.IsCancellationRequested && handshake?.Refusal is not null:
                    throw Refused(address, handshake, context);
                case OperationCanceledException when !cancellationToken.IsCancellationRequested:
                    throw new TransportClosedException(
                        TransportCloseReason.HandshakeTimeout, $"Connecting to {address} failed: the server did not answer within {context.HandshakeTimeout}. Is the server running?", e);
                default:
                    throw;
            }
        }
    }

    private static TransportClosedException Refused(TransportAddress address, UdpHandshake handshake, TransportContext context) => new(
        handshake.Refusal!.Value,
        handshake.LacksProof
            ? context.Protection!.DescribeWrongProof(address.ToString())
            : $"{address} refused the connection: {handshake.Refusal}. Give both sides the same Protection and the same Token.");
}

/// <summary>The socket of a client, with one connection.</summary>
[SuppressMessage("Design", "CA1001", Justification = "The caller of Open owns the channel, and the channel disposes the socket.")]
internal sealed class UdpClientPort : IDatagramPort, IDatagramReceiver
{
    private readonly Socket _socket;
    private readonly ulong _id;
    private readonly byte[] _random;
    private readonly DatagramCounters _counts;
    private readonly UdpChannel _channel;

    private UdpClientPort(Socket socket, UdpHandshake handshake, UdpOptions options, TransportContext context, string remoteName)
    {
        _socket = socket;
        _id = handshake.Id;
        _random = handshake.Random;
        _counts = context.Datagrams;
        _channel = new UdpChannel(this, _id, handshake.Keys, options, _counts, remoteName, context.TimeProvider);
    }

    public static UdpChannel Open(Socket socket, UdpHandshake handshake, UdpOptions options, TransportContext context, string remoteName)
    {
        var port = new UdpClientPort(socket, handshake, options, context, remoteName);
        if (handshake.Keys is not null)
            port._channel.Confirm();
        new DatagramLoop(socket, port, options.BufferSize).Start();
        return port._channel;
    }

    public void Send(ReadOnlySpan<byte> datagram) => UdpSocket.Send(_socket, datagram, null);

    public void Release(UdpChannel channel) => _socket.Dispose();

    public UdpChannel? Receive(ReadOnlySpan<byte> datagram, SocketAddress from)
    {
        _counts.CountReceived();
        if (datagram.Length <= DatagramFormat.PlainHeader || datagram[0] is not (DatagramFormat.Plain or DatagramFormat.Sealed))
        {
            // The client repeats its request after 100 ms. On a busy machine, the server then answers twice, and the second answer arrives after the connection was opened.
            _counts.CountDropped(IsAnswer(datagram) ? DatagramDropReason.DuplicateAnswer : DatagramDropReason.Malformed);
            return null;
        }

        if (BinaryPrimitives.ReadUInt64LittleEndian(datagram.Slice(1)) != _id)
        {
            _counts.CountDropped(DatagramDropReason.UnknownConnection);
            return null;
        }

        var scratch = ArrayPool<byte>.Shared.Rent(datagram.Length); // memory of the connection would be unused most of the time
        try
        {
            return _channel.Take(datagram, scratch, out _) ? _channel : null;
        }
        finally
        {
            ArrayPool<byte>.Shared.Return(scratch);
        }
    }

    private bool IsAnswer(ReadOnlySpan<byte> datagram) =>
        !datagram.IsEmpty && datagram[0] is DatagramFormat.Cookie or DatagramFormat.Accept or DatagramFormat.Refuse && datagram.Slice(1).StartsWith(_random);

    public void Fail(Exception exception) => _counts.CountFailure(exception);

    public void Stop(SocketError reason) => _channel.Fail(TransportCloseReason.ConnectionLost, $"The socket to {_channel.RemoteName} failed: {reason}.");
}
