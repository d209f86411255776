using System;
using System.Threading.Tasks;
using Reloaded.Messaging.Hosting;
using Reloaded.Messaging.Hosting.Framing;
using Reloaded.Messaging.Hosting.Peers;
using Reloaded.Messaging.Tests.Support;
using Xunit;

namespace Reloaded.Messaging.Tests.Handshake;

/// <summary>Nothing is left of a registration that is refused, and no peer hears of it; nor of one that is disposed.</summary>
public sealed class RegistrationTests
{
    [Fact]
    public async Task A_type_whose_answering_handler_is_gone_or_was_refused_is_an_event_to_a_program_that_is_no_host()
    {
        var options = new HostOptions { LengthPrefix = LengthPrefix.UInt16BigEndian };
        var received = Signal.New<int>();
        await using var server = await MessageHost.ListenAsync(
            Endpoint.Tcp(0),
            server =>
            {
                server.OnRequest((Ping ping) => new Pong(ping.Number)).Dispose();
                server.On((in Ping ping, Peer _) => received.SetResult(ping.Number));
                Assert.Throws<InvalidOperationException>(() => server.OnRequest((Ping ping) => new Pong(ping.Number)));
            },
            options);
        await using var client = await MessageHost.ConnectAsync(server.Endpoint, options: options);

        client.Send(new Ping(3));

        Assert.Equal(3, await received.Task.InTime());
    }
}
