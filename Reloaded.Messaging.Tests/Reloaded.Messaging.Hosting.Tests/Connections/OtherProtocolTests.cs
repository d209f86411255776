using System;
using System.Text;
using System.Threading.Tasks;
using Reloaded.Messaging.Hosting;
using Reloaded.Messaging.Tests.Support;
using Xunit;

namespace Reloaded.Messaging.Tests.Connections;

public sealed class OtherProtocolTests
{
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
