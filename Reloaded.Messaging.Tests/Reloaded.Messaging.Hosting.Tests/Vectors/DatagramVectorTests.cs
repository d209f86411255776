using System;
using System.Net;
using System.Net.Sockets;
using System.Threading.Tasks;
using Reloaded.Messaging.Hosting;
using Reloaded.Messaging.Tests.Support;
using Xunit;

namespace Reloaded.Messaging.Tests.Vectors;

/// <summary>The file of docs/vectors about datagrams against the library.</summary>
public sealed class DatagramVectorTests
{
    [Fact]
    public void Datagrams_are_those_of_the_library() => DatagramVectors.Make().AssertApproved();

    [Fact]
    public async Task Handshake_by_the_layouts_of_the_page_is_accepted_by_a_live_server()
    {
        await using var server = await MessageHost.ListenAsync(MessageEndpoint.Udp(0));
        var connection = server.Connection();
        using var socket = new Socket(AddressFamily.InterNetwork, SocketType.Dgram, ProtocolType.Udp) { ReceiveTimeout = 10_000 };
        await socket.ConnectAsync(IPAddress.Loopback, server.Endpoint.Port);
        var random = VectorFile.Sequence(0x30, 16);

        await socket.SendAsync((byte[])[1, .. "RMU"u8, 1, .. random, .. new byte[43]]);
        var cookie = await ReceiveAsync(socket, 2);
        Assert.Equal(random, cookie[1..17]);
        await socket.SendAsync((byte[])[3, .. random, .. cookie[17..34]]);
        var accept = await ReceiveAsync(socket, 4);
        Assert.Equal(random, accept[1..17]);
        var (id, hello) = (accept[17..25], RawPeer.Hello());
        await socket.SendAsync((byte[])[6, .. id, 1, 0, 0, 0, 0, 0, .. hello]);
        await socket.SendAsync((byte[])[6, .. id, 1, 1, 0, 0, 0, 0, .. RawPeer.Accept]);
        byte[] part;
        do
            part = await ReceiveAsync(socket, 6);
        while (part[9] != 2 || part[10] != 2); // an acknowledgement: 2 is the first segment that is missing

        Assert.Equal((byte[])[6, .. id, 2, 2, 0, 0, 0, 0, 0, 0, 0], part);

        // The server's hello is a segment too; its last hello follows once this one is acknowledged.
        await socket.SendAsync((byte[])[6, .. id, 2, 1, 0, 0, 0, 0, 0, 0, 0]);
        await connection.InTime();
    }

    private static async Task<byte[]> ReceiveAsync(Socket socket, byte kind)
    {
        var buffer = new byte[2048];
        int size;
        do
            size = await socket.ReceiveAsync(buffer).InTime();
        while (buffer[0] != kind);

        return buffer[..size];
    }
}
