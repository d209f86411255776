using System.Net;
using System.Net.Sockets;
using Reloaded.Messaging.Tests.Support;
using Xunit;

namespace Reloaded.Messaging.Tests.Channels;

public sealed class TcpTests
{
    [Fact]
    public async Task Port_0_becomes_the_port_that_was_assigned()
    {
        await using var listener = await MessageEndpoint.Tcp(0).ListenAsync(new TransportContext());

        Assert.InRange(listener.Endpoint.Port, 1, 65535);
        Assert.Equal("127.0.0.1", listener.Endpoint.Address);
    }

    [Fact]
    public async Task Sockets_of_both_sides_send_without_delay()
    {
        using var listening = new Socket(AddressFamily.InterNetwork, SocketType.Stream, ProtocolType.Tcp);
        listening.Bind(new IPEndPoint(IPAddress.Loopback, 0));
        listening.Listen();
        var endpoint = MessageEndpoint.Tcp(((IPEndPoint)listening.LocalEndPoint!).Port);
        var accepting = listening.AcceptAsync();
        using var socket = new Socket(AddressFamily.InterNetwork, SocketType.Stream, ProtocolType.Tcp);
        await socket.ConnectAsync(listening.LocalEndPoint!);
        using var accepted = await accepting.InTime();
        Assert.False(accepted.NoDelay);

        SocketConnector.MakeChannel(accepted, new TransportAddress(endpoint.Transport, endpoint.Address, endpoint.Port));

        Assert.True(accepted.NoDelay);
    }

    [Fact]
    public async Task Abort_ends_a_receive_that_has_just_begun()
    {
        const int Rounds = 1_000;
        await using var listener = await MessageEndpoint.Tcp(0).ListenAsync(new TransportContext());
        var buffer = new byte[16];

        for (var round = 0; round < Rounds; round++)
        {
            var (server, client) = await ChannelPair.ConnectAsync(listener);
            await using var closesServer = server;
            await using var closesClient = client;
            var receiving = server.ReceiveAsync(buffer, default).AsTask();
            Thread.SpinWait(round); // on Mono, a thread receives: the end is to come before, amid and after its call of the system
            server.Abort();

            await Assert.ThrowsAsync<TransportClosedException>(() => receiving.InTime());
        }
    }

    [Fact]
    public async Task Connect_tries_each_address_and_throws_the_failure_of_the_last()
    {
        await using var listener = await MessageEndpoint.Tcp(0).ListenAsync(new TransportContext());
        IPAddress[] addresses = [IPAddress.IPv6Loopback, IPAddress.Parse("127.0.0.2"), IPAddress.Loopback];

        await using var channel = await ConnectAsync(listener, addresses).InTime();

        Assert.Equal($"tcp://127.0.0.1:{listener.Endpoint.Port}", channel.RemoteName);
        await Assert.ThrowsAsync<TransportClosedException>(() => ConnectAsync(listener, addresses[..2]).InTime());
    }

    [Theory]
    [InlineData("0.0.0.0")]
    [InlineData("::")]
    public async Task Listening_for_other_machines_requires_a_token_and_a_certificate(string everywhere)
    {
        using var certificates = new Certificates();
        var token = new byte[16];

        Assert.Contains("MessageHostOptions.Token", await RefuseAsync(new TransportContext()), StringComparison.Ordinal);
        Assert.Contains("MessageHostOptions.Token", await RefuseAsync(new TransportContext(), certificates.Server), StringComparison.Ordinal);
        Assert.Contains("TlsOptions", await RefuseAsync(new TransportContext { Token = token }), StringComparison.Ordinal);
        Assert.Contains("TlsOptions.Certificate", await RefuseAsync(new TransportContext { Token = token }, new TlsOptions()), StringComparison.Ordinal);

        await using var listener = await MessageEndpoint.Tcp(everywhere, 0, certificates.Server).ListenAsync(new TransportContext { Token = token });
        Assert.InRange(listener.Endpoint.Port, 1, 65535);

        async Task<string> RefuseAsync(TransportContext context, TlsOptions? tls = null) =>
            (await Assert.ThrowsAsync<InvalidOperationException>(() => MessageEndpoint.Tcp(everywhere, 0, tls).ListenAsync(context).AsTask())).Message;
    }

    [Fact]
    public async Task Host_name_without_an_address_is_named_by_the_exception()
    {
        const string Nobody = "no-such..host.invalid"; // part of it is empty: nobody has to be asked
        var failure = await Assert.ThrowsAsync<TransportClosedException>(() => MessageEndpoint.Tcp(Nobody, 1).ConnectAsync(new TransportContext()).AsTask().InTime());

        Assert.Contains(Nobody, failure.Message, StringComparison.Ordinal);
    }

    private static TransportAddress Address(TransportListener listener, IPAddress[] addresses) =>
        new(TcpTransport.Plain, listener.Address.Name, listener.Address.Port) { IPAddresses = addresses };

    private static Task<TransportChannel> ConnectAsync(TransportListener listener, IPAddress[] addresses) =>
        TcpTransport.Plain.ConnectAsync(Address(listener, addresses), new TransportContext(), default).AsTask();
}
