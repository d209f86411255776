using System.Net;
using System.Net.Sockets;
using Reloaded.Messaging.Hosting;
using Reloaded.Messaging.Tests.Support;
using Reloaded.Messaging.Transports.LiteNetLib;
using Xunit;

namespace Reloaded.Messaging.Tests.LiteNet;

/// <summary>The datagrams of LiteNetLib 1.3.1, written by hand. The numbers of its packet kinds are from NetPacket.cs of that version.</summary>
public sealed class Version1WireTests
{
    [Fact]
    public async Task A_client_of_version_1_connects_sends_and_is_sent_to()
    {
        var received = Signal.New<int>();
        var contract = new MessageContract<int>(3, new BlittableSerializer<int>());
        var transport = new LiteNetTransport(new LiteNetOptions { ConnectionKey = "key" });
        await using var server = await CompatibleHost.ListenAsync(transport.At(0), server => server.On(contract, (in int message, CompatiblePeer _) => received.TrySetResult(message)));
        server.PeerConnected += peer => peer.Send(contract, 7);
        using var socket = new Socket(AddressFamily.InterNetwork, SocketType.Dgram, ProtocolType.Udp);
        socket.Connect(IPAddress.Loopback, server.Endpoint.Port);

        // ConnectRequest 5: protocol 13, a time, id 0, sixteen bytes of address, and the key after its length plus one.
        var request = Convert.FromHexString("05" + "0D000000" + "0100000000000000" + "00000000" + "10" + new string('0', 32) + "0400" + "6B6579");
        await socket.SendAsync(request);
        Assert.Equal(0x06, (await ReceiveAsync(socket, 0x06))[0]); // ConnectAccept

        // Channeled 1: sequence 0, channel 2, which is 0 reliable and ordered; then the message.
        await socket.SendAsync(Convert.FromHexString("01" + "0000" + "02" + "03" + "2A000000"));
        Assert.Equal(42, await received.Task.InTime());

        // In the other direction: Channeled too, and no kind that version 1 does not have.
        var packet = await ReceiveAsync(socket, 0x01);
        Assert.Equal(Convert.FromHexString("01" + "0000" + "02" + "03" + "07000000"), packet);
    }

    [Theory]
    [InlineData("02 0500 02 0500 03 07000000", "01 0500 02 03 07000000")]
    [InlineData("A2 0500 02 0500 03 07000000", "A1 0500 02 03 07000000")]
    [InlineData("03 0500 02 FF", "02 0500 02 FF")]
    [InlineData("00 AA", "00 AA")]
    [InlineData("12", "11")]
    [InlineData("0D 0B00 02 0500 02 0500 03 07000000 0500 03 0500 02 FF", "0C 0900 01 0500 02 03 07000000 0500 02 0500 02 FF")]
    public void What_is_sent_gets_the_numbers_of_version_1(string ours, string theirs)
    {
        var packet = Bytes(ours);

        var size = LiteNetVersion1Layer.ToVersion1(packet);

        Assert.Equal(Convert.ToHexString(Bytes(theirs)), Convert.ToHexString(packet.AsSpan(0, size)));
    }

    [Theory]
    [InlineData("01 0500 02 03", "01 0500 02 03")]
    [InlineData("02 0500 02 FF", "03 0500 02 FF")]
    [InlineData("0C 0500 01 0500 02 03 0500 02 0500 02 FF", "0D 0500 01 0500 02 03 0500 03 0500 02 FF")]
    [InlineData("0C 0500 02", "0D 0500 03")]
    [InlineData("0C FFFF", "0D FFFF")]
    [InlineData("0C 0000 0100 02", "0D 0000 0100 03")]
    [InlineData("", "")]
    public void What_is_received_gets_the_numbers_of_version_2(string theirs, string ours)
    {
        var packet = Bytes(theirs);

        LiteNetVersion1Layer.ToVersion2(packet);

        Assert.Equal(Convert.ToHexString(Bytes(ours)), Convert.ToHexString(packet));
    }

    private static byte[] Bytes(string hex) => Convert.FromHexString(hex.Replace(" ", "", StringComparison.Ordinal));

    /// <summary>Returns the next packet of a kind. Skips pings and repeated packets.</summary>
    private static async Task<byte[]> ReceiveAsync(Socket socket, byte kind)
    {
        using var late = new CancellationTokenSource(Deadline.Length);
        var buffer = new byte[2048];
        while (true)
        {
            var size = await socket.ReceiveAsync(buffer, late.Token);
            if (buffer[0] == kind)
                return buffer[..size];
        }
    }
}
