using Reloaded.Messaging.Hosting;
using Reloaded.Messaging.Tests.Support;
using Reloaded.Messaging.Wire;
using Xunit;

namespace Reloaded.Messaging.Tests.Connections;

public sealed class AuthenticationTests : IAsyncLifetime
{
    private readonly ManualTime _time = new();
    private MessageServer _server = null!;

    public async ValueTask InitializeAsync() => _server = await MessageHost.ListenAsync(
        MessageEndpoint.Tcp(0),
        server =>
        {
            server.OnRequest((Ping ping) => new Pong(ping.Number));
            server.OnAuthenticate<Login, Welcome>(async (login, from, token) =>
            {
                await Task.Yield();
                return login.Password switch
                {
                    "right" => new Welcome($"Welcome, {login.Name}."),
                    "broken" => throw new InvalidOperationException("from the handler"),
                    _ => throw new RequestFaultException(1001, "The password is wrong."),
                };
            });
        },
        new MessageHostOptions { TimeProvider = _time });

    public async ValueTask DisposeAsync() => await _server.DisposeAsync();

    [Fact]
    public async Task Who_shows_the_right_credentials_is_let_in_and_only_then_connected()
    {
        var connection = _server.Connection();
        await using var client = await MessageHost.ConnectAsync(_server.Endpoint);
        Assert.Equal(0, _server.Broadcast(new Note("not for strangers")));

        var welcome = await client.RequestAsync<Login, Welcome>(new Login("Ada", "right")).AsTask().InTime();

        Assert.Equal("Welcome, Ada.", welcome.Text);
        Assert.Equal([await connection.InTime()], _server.Peers);
        Assert.Equal(1, _server.AllPeers.Count);
        Assert.Equal(new Pong(3), await client.RequestAsync<Ping, Pong>(new Ping(3)).AsTask().InTime());
        var again = await client.TryRequestAsync<Login, Welcome>(new Login("Eve", "right")).AsTask().InTime();
        Assert.Equal(FaultCode.NoHandler, again.Fault!.Code);
    }

    [Theory]
    [InlineData("wrong", 1001, "The password is wrong.")]
    [InlineData("broken", (int)FaultCode.HandlerFailed, "The credentials could not be checked.")]
    public async Task Who_shows_others_hears_why_and_is_disconnected(string password, int code, string text)
    {
        var diary = _server.Diary();
        await using var client = await MessageHost.ConnectAsync(_server.Endpoint);
        var gone = client.Disconnection();

        var result = await client.TryRequestAsync<Login, Welcome>(new Login("Eve", password)).AsTask().InTime();

        Assert.Equal((code, text), (result.Fault!.Code, result.Fault.Message));
        Assert.Equal(DisconnectReason.Goodbye, await gone.InTime());
        Assert.Equal(text, client.Server.GoodbyeText);
        await Signal.UntilAsync(() => _server.GetCount(DisconnectReason.NotAuthenticated) == 1);
        Assert.Empty(diary);
        Assert.Equal(password == "broken" ? 1 : 0, _server.GetStatistics().HandlerFailures);
    }

    [Fact]
    public async Task Anything_else_that_a_stranger_sends_ends_it()
    {
        using var event_ = await RawPeer.HandshakeAsync(_server.Endpoint);
        await event_.SendAsync(RawPeer.Frame(MessageKind.Event, 20, 0, 2, 65, 2, 65));
        using var request = await RawPeer.HandshakeAsync(_server.Endpoint);
        await request.SendAsync(RawPeer.Request(new Ping(1), 1));
        using var eager = await RawPeer.HandshakeAsync(_server.Endpoint);
        await eager.SendAsync([.. RawPeer.Request(new Login("Ada", "right"), 1), .. RawPeer.Request(new Login("Ada", "right"), 2)]);

        await event_.ReceiveToEndAsync().InTime();
        await request.ReceiveToEndAsync().InTime();
        await eager.ReceiveToEndAsync().InTime();
        await Signal.UntilAsync(() => _server.GetStatistics().Peers == 0);
        Assert.InRange(_server.GetCount(DisconnectReason.NotAuthenticated), 2, 3); // the third may be let in between both, and hangs up then
    }

    [Fact]
    public async Task Who_says_nothing_is_disconnected_in_time()
    {
        using var silent = await RawPeer.HandshakeAsync(_server.Endpoint);
        await Signal.UntilAsync(() => _server.GetStatistics().Peers == 1);
        _time.Advance(TimeSpan.FromSeconds(4));
        await using var other = await MessageHost.ConnectAsync(_server.Endpoint);
        await other.RequestAsync<Login, Welcome>(new Login("Ada", "right")).AsTask().InTime();
        Assert.Equal(0, _server.GetCount(DisconnectReason.NotAuthenticated));

        _time.Advance(TimeSpan.FromSeconds(5.5)); // and not two: its time may have begun after the first four

        await silent.ReceiveToEndAsync().InTime();
        await Signal.UntilAsync(() => _server.GetCount(DisconnectReason.NotAuthenticated) == 1);
        Assert.Equal(new Pong(1), await other.RequestAsync<Ping, Pong>(new Ping(1)).AsTask().InTime());
    }

    [Fact]
    public async Task Peer_that_is_kicked_while_its_credentials_are_checked_is_refused_and_never_connected()
    {
        var refused = Signal.New<RefusedConnection>();
        await using var server = await MessageHost.ListenAsync(
            MessageEndpoint.Tcp(0),
            server =>
            {
                server.ConnectionRefused += connection => refused.TrySetResult(connection);
                server.OnAuthenticate<Login, Welcome>(async (_, from, _) =>
                {
                    await from.FillAsync(new Note(new string('x', 10_000))); // the goodbye waits
                    _ = from.KickAsync("Not today.");
                    return new Welcome("");
                });
            },
            new MessageHostOptions { Limits = new HostLimits { MaxPendingBytes = 100_000 }, KeepAliveTimeout = TimeSpan.FromHours(1), FlushTimeout = TimeSpan.FromHours(1), TimeProvider = _time });
        var diary = server.Diary();
        using var raw = await RawPeer.HandshakeAsync(server.Endpoint);

        await raw.SendAsync(RawPeer.Request(new Login("Eve", "right"), 1));
        await Signal.UntilAsync(() => server.GetCount(SendStatus.Closed) == 1); // the reply
        Assert.Empty(server.Peers);
        Assert.Equal(0, server.AllPeers.Count);
        var received = (await raw.ReceiveToEndAsync()).ToArray();

        Assert.True(received.AsSpan().EndsWith("Not today."u8));
        Assert.Equal(DisconnectReason.Kicked, (await refused.Task.InTime()).Reason);
        Assert.Equal((1, 1), (server.GetStatistics().RefusedConnections, server.GetCount(DisconnectReason.Kicked)));
        Assert.Empty(diary);
    }

    [Theory]
    [InlineData(0, false)]
    [InlineData(2_000_000, false)] // above the limit of this side
    [InlineData(5000, false)] // above the limit of the client
    [InlineData(3000, true)]
    public async Task Client_whose_reply_cannot_be_sent_is_refused(int size, bool isAccepted)
    {
        await using var server = await MessageHost.ListenAsync(
            MessageEndpoint.Tcp(0),
            server => server.OnAuthenticate<Login, Welcome>((_, _, _) => new(size == 0 ? null! : new Welcome(new string('x', size)))));
        var diary = server.Diary();
        await using var client = await MessageHost.ConnectAsync(server.Endpoint, options: new MessageHostOptions { MessageLimits = new MessageLimits { MaxMessageSize = 4000 } });

        var result = await client.TryRequestAsync<Login, Welcome>(new Login("Ada", "right")).AsTask().InTime();

        if (isAccepted)
        {
            Assert.Equal(RequestStatus.Replied, result.Status);
            Assert.Single(server.Peers);
            return;
        }

        Assert.Equal((FaultCode.HandlerFailed, "The credentials could not be checked."), (result.Fault!.Code, result.Fault.Message));
        await Signal.UntilAsync(() => server.GetCount(DisconnectReason.NotAuthenticated) == 1);
        Assert.Empty(diary);
        Assert.Equal(1, server.GetStatistics().HandlerFailures);
    }

    [Fact]
    public async Task Pooled_credentials_keep_their_values_until_the_check_ends()
    {
        var (entered, check) = (Signal.New<bool>(), Signal.New<bool>());
        await using var server = await MessageHost.ListenAsync(MessageEndpoint.Tcp(0), server => server.OnAuthenticate<Badge, Welcome>(async (badge, _, _) =>
        {
            entered.SetResult(true);
            await check.Task;
            return new Welcome($"{badge.Name} {Convert.ToHexString(badge.Key)}");
        }));
        using var raw = await RawPeer.HandshakeAsync(server.Endpoint);

        await raw.SendAsync([.. RawPeer.Request(new Badge { Name = "Ada", Key = [1, 2, 3] }, 1), .. RawPeer.Frame(MessageKind.Control, ControlCode.Ping, 0, 1)]);
        await entered.Task.InTime();
        var (pong, _) = await raw.ReceiveAsync(); // the server has read on: the call that brought the credentials is over
        check.SetResult(true);
        var (reply, payload) = await raw.ReceiveAsync();

        Assert.Equal((MessageKind.Control, ControlCode.Pong), (pong.Kind, pong.Type));
        Assert.Equal((MessageKind.Reply, 1u), (reply.Kind, reply.CorrelationId));
        Assert.True(MessageContract.GetDeclared<Welcome>().Serializer.TryDeserialize(payload, out var welcome));
        Assert.Equal("Ada 010203", welcome.Text);
    }

    [Fact]
    public async Task A_host_has_one_way_in()
    {
        await using var server = await MessageHost.ListenAsync(MessageEndpoint.Tcp(0), server =>
        {
            server.OnAuthenticate<Login, Welcome>((_, _, _) => new(new Welcome("")));

            Assert.Throws<InvalidOperationException>(() => server.OnAuthenticate<Ping, Pong>((_, _, _) => new(new Pong(1))));
        });
    }

    [Fact]
    public async Task Credentials_are_checked_by_servers_alone()
    {
        await using var client = await MessageHost.ConnectAsync(_server.Endpoint);

        Assert.Throws<NotSupportedException>(() => client.OnAuthenticate<Login, Welcome>((_, _, _) => new(new Welcome(""))));
    }
}
