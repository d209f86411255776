using System.Globalization;
using System.Linq;
using Reloaded.Messaging.Hosting;
using Reloaded.Messaging.Tests.Support;
using Xunit;

namespace Reloaded.Messaging.Tests.Connections;

public sealed class BanTests
{
    private static readonly TimeSpan s_hour = TimeSpan.FromHours(1);

    private readonly Calendar _time = new();

    /// <summary>The endpoints of servers: TCP, and transports of this machine.</summary>
    public static TheoryData<string> Endpoints { get; } = ["tcp://127.0.0.1:0", "in-process:bans", "local:bans"];

    [Theory]
    [MemberData(nameof(Endpoints))]
    public async Task Banned_account_is_refused_until_the_ban_ends(string endpoint)
    {
        var refused = Signal.New<RefusedConnection>();
        await using var server = await MessageHost.ListenAsync(MessageEndpoint.Parse(endpoint), server =>
        {
            server.OnAuthenticate<Login, Welcome>((login, peer, _) =>
            {
                peer.Account = login.Name;
                return new ValueTask<Welcome>(new Welcome(login.Name));
            });
            server.ConnectionRefused += connection => refused.TrySetResult(connection);
        }, new MessageHostOptions { TimeProvider = _time });
        await using var other = await LogInAsync(server, "Ada");
        await using var client = await LogInAsync(server, "Mallory");
        var (gone, ended) = (client.Disconnection(), server.Disconnection());

        var ban = server.Peers.Single(static peer => peer.Account == "Mallory").Ban(s_hour, "You flooded the chat.");

        Assert.Equal((DisconnectReason.Goodbye, DisconnectReason.Banned), (await gone.InTime(), await ended.InTime()));
        Assert.Equal((DisconnectReason.Banned, "You flooded the chat."), (client.Server.GoodbyeReason, client.Server.GoodbyeText));
        Assert.Equal(("Mallory", _time.Now + s_hour), (ban.Name, ban.EndsAt));
        Assert.Equal(FormattableString.Invariant($"Mallory until {_time.Now + s_hour:u}: You flooded the chat."), ban.ToString());
        Assert.Equal([ban], server.Bans.GetAll());

        await using var again = await MessageHost.ConnectAsync(server.Endpoint);
        var goneAgain = again.Disconnection();
        var login = await again.TryRequestAsync<Login, Welcome>(new Login("Mallory", "")).AsTask().InTime();
        Assert.Equal("You flooded the chat.", login.Fault!.Message);
        await goneAgain.InTime();
        Assert.Equal((DisconnectReason.Banned, "You flooded the chat."), (again.Server.GoodbyeReason, again.Server.GoodbyeText));
        Assert.Equal(DisconnectReason.Banned, (await refused.Task.InTime()).Reason);
        Assert.Equal(2, server.GetCount(DisconnectReason.Banned));

        _time.Now += s_hour;
        await using var later = await LogInAsync(server, "Mallory");
        Assert.Equal(2, server.Peers.Count);
        Assert.Empty(server.Bans.GetAll());
    }

    [Theory]
    [InlineData("tcp://127.0.0.1:0")]
    [InlineData("in-process:far-bans")]
    public async Task Banned_address_is_refused_with_the_text_of_the_ban(string endpoint)
    {
        var options = new MessageHostOptions { TimeProvider = _time };
        var context = options.MakeTransportContext();
        await using var server = Servers.Make(new FarListener(await MessageEndpoint.Parse(endpoint).ListenAsync(context), "192.0.2.7"), options, context);
        server.Start();
        await using var client = await MessageHost.ConnectAsync(server.Endpoint);
        var gone = client.Disconnection();
        var peer = await server.Connection().InTime();
        Assert.Equal("192.0.2.7", peer.RemoteIdentity);

        peer.Ban(s_hour);

        await gone.InTime();
        Assert.Equal("The ban ends at 2026-01-01 01:00:00Z.", client.Server.GoodbyeText);
        var refusal = await Assert.ThrowsAsync<HandshakeException>(() => MessageHost.ConnectAsync(server.Endpoint, options: new MessageHostOptions { Reconnect = new ReconnectOptions() }).InTime());
        Assert.Equal(DisconnectReason.Banned, refusal.Reason);
        Assert.EndsWith("the server has banned this client. The ban ends at 2026-01-01 01:00:00Z.", refusal.Message, StringComparison.Ordinal);
        await Signal.UntilAsync(() => server.GetCount(DisconnectReason.Banned) == 2);

        Assert.True(server.Bans.Remove("192.0.2.7"));
        Assert.False(server.Bans.Remove("192.0.2.7"));
        await using var later = await MessageHost.ConnectAsync(server.Endpoint).InTime();
    }

    [Fact]
    public async Task Ban_beyond_the_capacity_replaces_the_one_that_ends_first()
    {
        await using var server = await MessageHost.ListenAsync(MessageEndpoint.InProcess("many-bans"), options: new MessageHostOptions { TimeProvider = _time });
        for (var i = 0; i < BanList.Capacity; i++)
            server.Bans.Add(i.ToString(CultureInfo.InvariantCulture), TimeSpan.FromSeconds(1 + ((i + 5) % BanList.Capacity)));

        server.Bans.Add("7", s_hour); // replaces its own ban
        server.Bans.Add("last", TimeSpan.MaxValue);

        Assert.Equal(BanList.Capacity, server.Bans.GetAll().Count);
        Assert.Null(server.Bans.Find((BanList.Capacity - 5).ToString(CultureInfo.InvariantCulture)));
        Assert.Equal(DateTimeOffset.MaxValue, server.Bans.Find("last")!.EndsAt);
        Assert.Equal(_time.Now + s_hour, server.Bans.Find("7")!.EndsAt);
    }

    [Fact]
    public async Task Peer_of_this_machine_without_an_account_cannot_be_banned()
    {
        await using var hosts = await HostPair.ConnectAsync(MessageEndpoint.Tcp(0));
        var peer = await hosts.Server.Connection().InTime();

        Assert.Contains("Set Peer.Account", Assert.Throws<InvalidOperationException>(() => peer.Ban(s_hour)).Message, StringComparison.Ordinal);
        Assert.Throws<InvalidOperationException>(() => hosts.Client.Server.Ban(s_hour));
        peer.Account = "Ada";
        Assert.Throws<ArgumentOutOfRangeException>(() => peer.Ban(TimeSpan.Zero));
        Assert.Throws<ArgumentException>(() => peer.Ban(s_hour, new string('x', 1025)));
        Assert.Empty(hosts.Server.Bans.GetAll());
        Assert.True(peer.IsConnected);
    }

    private static async Task<MessageClient> LogInAsync(MessageServer server, string name)
    {
        var client = await MessageHost.ConnectAsync(server.Endpoint).InTime();
        Assert.Equal(name, (await client.RequestAsync<Login, Welcome>(new Login(name, "")).AsTask().InTime()).Text);
        return client;
    }

    /// <summary>A clock with a date that a test sets.</summary>
    private sealed class Calendar : TimeProvider
    {
        public DateTimeOffset Now { get; set; } = new(2026, 1, 1, 0, 0, 0, TimeSpan.Zero);

        public override DateTimeOffset GetUtcNow() => Now;
    }
}
