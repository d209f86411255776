using System;
using System.Net;
using System.Net.Sockets;
using System.Text;
using System.Threading;
using System.Threading.Tasks;
using Reloaded.Messaging.Hosting;
using Reloaded.Messaging.Tests.Support;
using Xunit;

namespace Reloaded.Messaging.Tests.Connections;

public sealed class OtherProtocolTests
{
    [Theory]
    [InlineData(LengthPrefix.UInt16LittleEndian, "POST")]
    [InlineData(LengthPrefix.UInt16BigEndian, "POST")]
    [InlineData(LengthPrefix.UInt16LittleEndian, "PUT")]
    [InlineData(LengthPrefix.UInt16BigEndian, "OPTIONS")]
    [InlineData(LengthPrefix.UInt16BigEndian, "GET")]
    public async Task Http_request_reaches_no_handler(LengthPrefix prefix, string verb)
    {
        var handled = 0;
        await using var server = await ListenAsync(prefix, () => handled++);
        using var raw = await RawPeer.ConnectAsync(server.Endpoint);
        var head = Encoding.ASCII.GetBytes($"{verb} / HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: 40000\r\n\r\n");
        var length = prefix == LengthPrefix.UInt16LittleEndian ? head[0] | (head[1] << 8) : (head[0] << 8) | head[1];
        var request = new byte[2 + length];
        head.CopyTo(request, 0);

        await raw.SendAsync([.. request, .. Frame(prefix, 5, 0xD2, 4, 0, 0)]);
        await raw.ReceiveToEndAsync();

        Assert.Equal(0, handled);
        Assert.Equal(1, server.GetCount(DisconnectReason.NotAPeer));
    }

    [Fact]
    public async Task Connect_that_is_canceled_while_the_server_is_silent_names_the_endpoint_and_the_way_out()
    {
        var listener = new TcpListener(IPAddress.Loopback, 0);
        listener.Start();
        using var canceled = new CancellationTokenSource();
        var endpoint = MessageEndpoint.Tcp(((IPEndPoint)listener.LocalEndpoint).Port);
        var connecting = MessageHost.ConnectAsync(endpoint, cancellationToken: canceled.Token);
        using var accepted = await listener.AcceptSocketAsync().InTime();

        canceled.Cancel();

        var failed = await Assert.ThrowsAnyAsync<OperationCanceledException>(() => connecting.InTime());
        Assert.Equal($"The wait for a connection to {endpoint} was canceled. No reply arrived: check the endpoint, or wait longer.", failed.Message);
        listener.Stop();
    }

    [Fact]
    public async Task Listen_at_the_address_of_another_machine_says_what_to_choose()
    {
        var options = new MessageHostOptions { Token = new byte[32], Protection = ProtectionOptions.WithToken() };

        var failed = await Assert.ThrowsAsync<InvalidOperationException>(() => MessageHost.ListenAsync(MessageEndpoint.Parse("tcp://192.0.2.1:5000"), options: options).InTime());

        Assert.Equal("tcp://192.0.2.1:5000 is no address of this machine. Use 0.0.0.0.", failed.Message);
    }

    [Theory]
    [InlineData("GET / HTTP/1.1\r\nHost: localhost\r\n\r\n")]
    [InlineData("SSH-2.0-OpenSSH_9.2\r\n")]
    [InlineData("EHLO example.org\r\n")]
    public async Task Client_of_another_protocol_is_refused_at_once(string text)
    {
        var options = new MessageHostOptions { Limits = new HostLimits { HandshakeTimeout = TimeSpan.FromHours(1) } };
        await using var server = await MessageHost.ListenAsync(MessageEndpoint.Tcp(0), options: options);
        using var raw = await RawPeer.ConnectAsync(server.Endpoint);

        await raw.SendAsync(Encoding.ASCII.GetBytes(text));

        await Signal.UntilAsync(() => server.GetCount(DisconnectReason.NotAPeer) == 1);
    }

    [Theory]
    [InlineData("HTTP/1.1 400 Bad Request\r\n\r\n")]
    [InlineData("SSH-2.0-OpenSSH_9.2\r\n")]
    [InlineData("220 mail.example.org ESMTP\r\n")]
    public async Task Server_of_another_protocol_is_no_peer_at_once(string text)
    {
        using var listener = new RawListener();
        var options = new MessageHostOptions { Limits = new HostLimits { HandshakeTimeout = TimeSpan.FromHours(1) } };
        var connecting = MessageHost.ConnectAsync(MessageEndpoint.Tcp(listener.Port), options: options);
        using var raw = await listener.AcceptAsync();

        await raw.SendAsync(Encoding.ASCII.GetBytes(text));

        var refused = await Assert.ThrowsAsync<HandshakeException>(() => connecting.InTime());
        Assert.Equal(DisconnectReason.NotAPeer, refused.Reason);
        Assert.Contains("Another program may use the port", refused.Message, StringComparison.Ordinal);
    }

    [Fact]
    public async Task Connection_whose_first_frame_has_an_unknown_type_is_refused()
    {
        var handled = 0;
        await using var server = await ListenAsync(LengthPrefix.UInt16BigEndian, () => handled++);
        using var raw = await RawPeer.ConnectAsync(server.Endpoint);

        await raw.SendAsync([.. Frame(LengthPrefix.UInt16BigEndian, 99), .. Frame(LengthPrefix.UInt16BigEndian, 5, 0xD2, 4, 0, 0)]);
        await raw.ReceiveToEndAsync();

        Assert.Equal((0, 1), (handled, server.GetCount(DisconnectReason.NotAPeer)));
    }

    [Fact]
    public async Task Connection_whose_first_frame_has_a_known_type_may_send_unknown_types_later()
    {
        var handled = 0;
        await using var server = await ListenAsync(LengthPrefix.UInt16BigEndian, () => Interlocked.Increment(ref handled));
        using var raw = await RawPeer.ConnectAsync(server.Endpoint);
        var known = Frame(LengthPrefix.UInt16BigEndian, 5, 0xD2, 4, 0, 0);

        foreach (var part in known)
            await raw.SendAsync([part]);
        await raw.SendAsync([.. Frame(LengthPrefix.UInt16BigEndian, 99), .. known]);

        await Signal.UntilAsync(() => Volatile.Read(ref handled) == 2);
        Assert.Equal(0, server.GetCount(DisconnectReason.NotAPeer));
    }

    private static Task<MessageServer> ListenAsync(LengthPrefix prefix, Action handle) => MessageHost.ListenAsync(
        MessageEndpoint.Tcp(0) with { LengthPrefix = prefix },
        server => server.On(new MessageContract<Ping>(5, new BlittableSerializer<Ping>()), (in Ping _, Peer _) => handle()));

    private static byte[] Frame(LengthPrefix prefix, params byte[] message) =>
        prefix == LengthPrefix.UInt16LittleEndian ? [(byte)message.Length, 0, .. message] : [0, (byte)message.Length, .. message];
}
