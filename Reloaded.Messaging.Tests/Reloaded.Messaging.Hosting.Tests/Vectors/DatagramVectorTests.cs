using System.Net;
using System.Net.Sockets;
using Reloaded.Messaging.Hosting;
using Reloaded.Messaging.Tests.Support;
using Xunit;

namespace Reloaded.Messaging.Tests.Vectors;

/// <summary>The files of docs/vectors about datagrams against the library.</summary>
public sealed class DatagramVectorTests
{
    [Fact]
    public void Datagrams_are_those_of_the_library() => DatagramVectors.Make().AssertApproved();

    [Fact]
    public void Recovery_is_that_of_the_library() => RecoveryVectors.Make().AssertApproved();

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
        await socket.SendAsync((byte[])[6, .. id, .. Number(0), 3, (byte)(9 + hello.Length), 0, 0, .. Number(0), .. hello]);
        await socket.SendAsync((byte[])[6, .. id, .. Number(1), 3, (byte)(9 + RawPeer.Accept.Length), 0, 0, .. Number(hello.Length), .. RawPeer.Accept]);
        byte[] newest;
        do
            newest = PlainDatagram.PartsOf(await ReceiveAsync(socket, 6)).Find(static part => part.Part == DatagramPart.Acknowledgement).Body ?? [];
        while (newest.Length == 0 || newest[0] != 1);

        Assert.Equal((byte[])[.. Number(1), 2], (byte[])[.. newest[..8], .. newest[12..]]); // the numbers 1 and 0

        // The last hello of the server follows when its first hello was acknowledged: its number is 0 or 1.
        await socket.SendAsync((byte[])[6, .. id, .. Number(2), 2, 13, 0, .. Number(0), 0, 0, 0, 0, 1]);
        await connection.InTime();
    }

    private static byte[] Number(int number) => BitConverter.GetBytes((ulong)number);

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
