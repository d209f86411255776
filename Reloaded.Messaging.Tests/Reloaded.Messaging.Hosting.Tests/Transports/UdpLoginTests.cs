using System.Net;
using Reloaded.Messaging.Hosting;
using Reloaded.Messaging.Tests.Connections;
using Reloaded.Messaging.Tests.Support;
using Xunit;

namespace Reloaded.Messaging.Tests.Transports;

/// <summary>Logins from an address of another machine, which a listener for datagrams can be told that its clients have.</summary>
public sealed class UdpLoginTests
{
    [Fact]
    public async Task Login_beyond_the_peers_of_an_address_is_refused_with_that_reason()
    {
        var options = new MessageHostOptions { Limits = new HostLimits { MaxPeersPerAddress = 1 } };
        var listener = UdpListeners.Listen(options.MakeTransportContext(), groupOf: static _ => "192.0.2.7");
        await using var server = Servers.Make(listener, options);
        server.OnAuthenticate<Login, Welcome>(static (login, _, _) => new(new Welcome(login.Name)));
        server.Start();
        await using var first = await MessageHost.ConnectAsync(server.Endpoint).InTime();
        await using var second = await MessageHost.ConnectAsync(server.Endpoint).InTime();
        await first.RequestAsync<Login, Welcome>(new Login("Ada", "right")).AsTask().InTime();

        var result = await second.TryRequestAsync<Login, Welcome>(new Login("Eve", "right")).AsTask().InTime();

        Assert.Equal("The server has reached its maximum number of peers from this address.", result.Fault!.Message);
        await Signal.UntilAsync(() => server.GetCount(DisconnectReason.TooManyPeersFromAddress) == 1);
    }
}
