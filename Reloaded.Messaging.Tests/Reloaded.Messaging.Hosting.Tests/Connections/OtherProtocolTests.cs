using System.Net;
using System.Net.Sockets;
using System.Text;
using Reloaded.Messaging.Hosting;
using Reloaded.Messaging.Tests.Support;
using Xunit;

namespace Reloaded.Messaging.Tests.Connections;

public sealed class OtherProtocolTests
{
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
        var options = new MessageHostOptions { Token = new byte[32], Protection = ProtectionOptions.WithSecret(new byte[32]) };

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
}
