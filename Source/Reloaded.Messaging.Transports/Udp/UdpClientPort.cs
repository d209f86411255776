using System;
using System.Buffers.Binary;
using System.Diagnostics.CodeAnalysis;
using System.Net;
using System.Net.Sockets;

namespace Reloaded.Messaging;

/// <summary>The socket of a client, with one connection.</summary>
[SuppressMessage("Design", "CA1001", Justification = "The caller of Open owns the channel, and the channel disposes the socket.")]
internal sealed class UdpClientPort : IDatagramPort, IDatagramReceiver
{
    private readonly Socket _socket;
    private readonly ulong _id;
    private readonly byte[] _random;
    private readonly DatagramCounters _counts;
    private readonly byte[] _scratch;
    private readonly UdpChannel _channel;

    private UdpClientPort(Socket socket, ulong id, byte[] random, SessionKeys? keys, UdpOptions options, DatagramCounters counts, string remoteName)
    {
        _socket = socket;
        _id = id;
        _random = random;
        _counts = counts;
        _scratch = new byte[options.BufferSize];
        _channel = new UdpChannel(this, id, keys, options, _counts, remoteName);
    }

    public static UdpChannel Open(Socket socket, ulong id, byte[] random, SessionKeys? keys, UdpOptions options, DatagramCounters counts, string remoteName)
    {
        var port = new UdpClientPort(socket, id, random, keys, options, counts, remoteName);
        if (keys is not null)
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

        return _channel.Take(datagram, _scratch, out _) ? _channel : null;
    }

    private bool IsAnswer(ReadOnlySpan<byte> datagram) =>
        !datagram.IsEmpty && datagram[0] is DatagramFormat.Cookie or DatagramFormat.Accept or DatagramFormat.Refuse && datagram.Slice(1).StartsWith(_random);

    public void Fail(Exception exception) => _counts.CountFailure(exception);

    public void Stop(SocketError reason) => _channel.Fail(TransportCloseReason.ConnectionLost, $"The socket to {_channel.RemoteName} failed: {reason}.");
}
