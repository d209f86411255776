using System.Security.Cryptography;
using Reloaded.Messaging.Hosting;
using Reloaded.Messaging.Tests.Support;
using Reloaded.Messaging.Wire;
using Xunit;

namespace Reloaded.Messaging.Tests.Connections;

public sealed class AdmissionTests
{
    [Fact]
    public async Task Silent_connections_from_one_address_keep_no_client_with_the_token_out()
    {
        var options = new MessageHostOptions { Token = RandomNumberGenerator.GetBytes(32), Limits = new HostLimits { HandshakeTimeout = TimeSpan.FromMinutes(5) } };
        await using var server = await MessageHost.ListenAsync(MessageEndpoint.Tcp(0), server => server.OnRequest((Ping ping) => new Pong(ping.Number)), options);
        var silent = new List<RawPeer>();
        for (var i = 0; i < 1024; i++)
            silent.Add(await RawPeer.ConnectAsync(server.Endpoint));
        await Signal.UntilAsync(() => server.GetStatistics().Peers >= 1024);

        for (var i = 0; i < 4; i++)
        {
            await using var client = await MessageHost.ConnectAsync(server.Endpoint, options: options).InTime();
            Assert.Equal(new Pong(i), await client.RequestAsync<Ping, Pong>(new Ping(i)).AsTask().InTime());
        }

        Assert.InRange(server.GetCount(DisconnectReason.TooManyUnauthenticated), 1, 4);
        silent.ForEach(raw => raw.Dispose());
    }

    [Fact]
    public async Task Silent_connection_that_is_too_many_disconnects_the_oldest_and_says_why()
    {
        await using var server = await MessageHost.ListenAsync(MessageEndpoint.Tcp(0), options: new MessageHostOptions { Limits = new HostLimits { MaxUnauthenticated = 2 } });
        using var first = await RawPeer.ConnectAsync(server.Endpoint);
        await first.ReceiveAsync(); // its hello: the server has it
        using var second = await RawPeer.ConnectAsync(server.Endpoint);
        await second.ReceiveAsync();
        using var third = await RawPeer.ConnectAsync(server.Endpoint);

        var (header, reason) = await first.ReceiveAsync();

        Assert.Equal((MessageKind.Control, 3u), (header.Kind, header.Type));
        Assert.Equal([(byte)DisconnectReason.TooManyUnauthenticated], reason);
        await Signal.UntilAsync(() => server.GetCount(DisconnectReason.TooManyUnauthenticated) == 1);
        await second.SendAsync([.. RawPeer.Hello(), .. RawPeer.Accept]);
        Assert.True((await server.Connection().InTime()).IsConnected);
    }

    [Fact]
    public async Task Limits_per_address_leave_other_addresses_alone()
    {
        var limits = new HostLimits { MaxUnauthenticatedPerAddress = 2, MaxPeersPerAddress = 1, MaxUnauthenticated = 4, MaxPeers = 3 };
        var admission = new Admission(limits);
        await using var server = await MessageHost.ListenAsync(MessageEndpoint.InProcess("admission"));
        var peers = MakePeers(server, 8);

        Assert.Null(admission.Enter(peers[0], "a", out _));
        Assert.Null(admission.Enter(peers[1], "b", out _));
        Assert.Null(admission.Enter(peers[2], "a", out _));
        Assert.Same(peers[0], admission.Enter(peers[3], "a", out var reason));
        Assert.Equal(DisconnectReason.TooManyUnauthenticatedFromAddress, reason);
        Assert.Equal(DisconnectReason.TooManyUnauthenticated, admission.TryAdmit(peers[0]));

        Assert.Null(admission.TryAdmit(peers[2]));
        Assert.Equal(DisconnectReason.TooManyPeersFromAddress, admission.FindRefusal("a"));
        Assert.Equal(DisconnectReason.TooManyPeersFromAddress, admission.TryAdmit(peers[3]));
        Assert.Null(admission.FindRefusal("b"));
        Assert.Null(admission.TryAdmit(peers[1]));
        admission.Leave(peers[2]);
        admission.Leave(peers[2]);
        Assert.Null(admission.TryAdmit(peers[3]));

        for (var i = 4; i < peers.Length; i++)
            Assert.Null(admission.Enter(peers[i], null, out _)); // this machine has no limit per address
        Assert.Null(admission.TryAdmit(peers[5]));
        Assert.Equal(DisconnectReason.TooManyPeers, admission.FindRefusal(null));
        Assert.Equal(DisconnectReason.TooManyPeers, admission.TryAdmit(peers[6]));
        Assert.Null(admission.Enter(peers[0], null, out _));
        Assert.Same(peers[4], admission.Enter(peers[2], null, out reason));
        Assert.Equal(DisconnectReason.TooManyUnauthenticated, reason);
    }

    [Fact]
    public async Task Connection_whose_credentials_are_checked_is_disconnected_last()
    {
        var admission = new Admission(new HostLimits { MaxUnauthenticatedPerAddress = 3 });
        await using var server = await MessageHost.ListenAsync(MessageEndpoint.InProcess("admission-checking"));
        var peers = MakePeers(server, 6);
        admission.Enter(peers[0], "a", out _);
        admission.Enter(peers[1], "a", out _);
        admission.Enter(peers[2], "a", out _);
        Assert.True(peers[0].Login.TryReceive() && peers[0].Login.TryCheck());
        Assert.True(peers[1].Login.TryReceive());

        Assert.Same(peers[2], admission.Enter(peers[3], "a", out _));
        Assert.True(peers[3].Login.TryReceive() && peers[3].Login.TryCheck());
        Assert.Same(peers[0], admission.Enter(peers[4], "a", out var reason)); // all are checked
        Assert.Equal(DisconnectReason.TooManyUnauthenticatedFromAddress, reason);
        Assert.Null(admission.TryAdmit(peers[1]));
    }

    [Fact]
    public async Task Limit_of_all_disconnects_the_oldest_from_the_address_that_has_the_most()
    {
        var admission = new Admission(new HostLimits { MaxUnauthenticated = 6 });
        await using var server = await MessageHost.ListenAsync(MessageEndpoint.InProcess("admission-most"));
        var peers = MakePeers(server, 9);
        string?[] addresses = ["b", null, "a", "a", "a", null];
        for (var i = 0; i < addresses.Length; i++)
            Assert.Null(admission.Enter(peers[i], addresses[i], out _));

        Assert.Same(peers[2], admission.Enter(peers[6], "c", out var reason));
        Assert.Equal(DisconnectReason.TooManyUnauthenticated, reason);
        Assert.Same(peers[1], admission.Enter(peers[7], "d", out _)); // this machine has two, as "a" has
        Assert.True(peers[3].Login.TryReceive() && peers[3].Login.TryCheck());
        Assert.Same(peers[4], admission.Enter(peers[8], "e", out _));
    }

    [Fact]
    public async Task Login_whose_credentials_are_checked_survives_silent_connections_at_the_limit()
    {
        var (entered, check) = (Signal.New<bool>(), Signal.New<bool>());
        var options = new MessageHostOptions { Limits = new HostLimits { MaxUnauthenticated = 2, HandshakeTimeout = TimeSpan.FromMinutes(5) } };
        await using var hosts = await HostPair.ConnectAsync(
            MessageEndpoint.Tcp(0),
            server => server.OnAuthenticate<Login, Welcome>(async (login, _, _) =>
            {
                entered.SetResult(true);
                await check.Task;
                return new Welcome(login.Name);
            }),
            serverOptions: options);
        var login = hosts.Client.TryRequestAsync<Login, Welcome>(new Login("Ada", "right")).AsTask();
        await entered.Task.InTime();

        var silent = new List<RawPeer>();
        for (var i = 0; i < 4; i++)
        {
            silent.Add(await RawPeer.ConnectAsync(hosts.Server.Endpoint));
            await silent[i].ReceiveAsync();
        }

        check.SetResult(true);
        Assert.Equal(RequestStatus.Replied, (await login.InTime()).Status);
        await Signal.UntilAsync(() => hosts.Server.GetCount(DisconnectReason.TooManyUnauthenticated) == 3); // each is counted after its goodbye was written
        silent.ForEach(raw => raw.Dispose());
    }

    private static Connection[] MakePeers(MessageServer server, int count)
    {
        var peers = new Connection[count];
        for (var i = 0; i < count; i++)
            peers[i] = new Peer(server, InProcessChannel.CreatePair("admission").Server, i).Connection;
        return peers;
    }
}
