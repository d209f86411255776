using System.Security.Cryptography;
using Reloaded.Messaging.Hosting;
using Reloaded.Messaging.Tests.Support;
using Xunit;

namespace Reloaded.Messaging.Tests.Connections;

/// <summary>Hosts that encrypt: who gets in, and what they are told who don't.</summary>
public sealed class ProtectedHostTests
{
    private static readonly byte[] s_secret = RandomNumberGenerator.GetBytes(32);

    public static TheoryData<string> Kinds => ["secret", "token", "smaller keys"];

    public static TheoryData<string, string> Unauthenticated => new()
    {
        { "secret", "another secret" },
        { "secret", "token" },
        { "secret", "smaller keys" },
        { "token", "another token" },
        { "token", "secret" },
    };

    [Theory]
    [MemberData(nameof(Kinds))]
    public async Task Hosts_with_the_same_protection_talk(string kind)
    {
        await using var hosts = await HostPair.ConnectAsync(MessageEndpoint.Tcp(0), Answer, serverOptions: Make(kind), clientOptions: Make(kind));

        for (var i = 0; i < 100; i++)
            Assert.Equal(new Pong(i), await hosts.Client.RequestAsync<Ping, Pong>(new Ping(i)).AsTask().InTime());
    }

    [Theory]
    [MemberData(nameof(Unauthenticated))]
    public async Task Client_with_another_protection_is_refused_with_the_reason_and_counted(string servers, string clients)
    {
        await using var server = await MessageHost.ListenAsync(MessageEndpoint.Tcp(0), Answer, Make(servers));

        var refusal = await Assert.ThrowsAsync<HandshakeException>(() => MessageHost.ConnectAsync(server.Endpoint, options: Make(clients)).InTime());

        Assert.Equal(DisconnectReason.WrongProtection, refusal.Reason);
        Assert.Contains("MessageHostOptions", refusal.Message, StringComparison.Ordinal);
        await Signal.UntilAsync(() => server.GetCount(DisconnectReason.WrongProtection) == 1);
        Assert.Equal(0, server.GetStatistics().Peers);
        await using var other = await MessageHost.ConnectAsync(server.Endpoint, options: Make(servers)).InTime();
    }

    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public async Task First_connect_is_repeated_after_a_server_that_ended_before_it_answered(bool resets)
    {
        var (server, client) = await EndingServer.ReplaceAsync(resets, port => MessageEndpoint.Tcp(port), Make("secret"), port => MessageHost.ListenAsync(MessageEndpoint.Tcp(port), Answer, Make("secret")));
        await using var _ = server;
        await using var __ = client;
        Assert.Equal(new Pong(1), await client.RequestAsync<Ping, Pong>(new Ping(1)).AsTask().InTime());
    }

    [Fact]
    public async Task A_client_without_protection_is_refused_and_counted()
    {
        await using var server = await MessageHost.ListenAsync(MessageEndpoint.Tcp(0), Answer, Make("secret"));

        await Assert.ThrowsAsync<HandshakeException>(() => MessageHost.ConnectAsync(server.Endpoint).InTime());

        await Signal.UntilAsync(() => server.GetCount(DisconnectReason.WrongProtection) == 1);
    }

    [Fact]
    public async Task A_server_without_protection_is_refused_at_once()
    {
        await using var server = await MessageHost.ListenAsync(MessageEndpoint.Tcp(0), Answer);

        var refusal = await Assert.ThrowsAsync<HandshakeException>(() => MessageHost.ConnectAsync(server.Endpoint, options: Make("secret")).InTime());

        Assert.Equal(DisconnectReason.WrongProtection, refusal.Reason);
        // On Windows, the reset of a connection may discard the bytes that the server has not read.
        await Signal.UntilAsync(() => server.GetCount(DisconnectReason.NotAPeer) + (OperatingSystem.IsWindows() ? server.GetCount(DisconnectReason.ConnectionLost) : 0) == 1);
    }

    [Fact]
    public async Task A_stranger_who_says_nothing_or_a_part_is_gone_after_the_timeout()
    {
        var options = new MessageHostOptions
        {
            Protection = ProtectionOptions.WithSecret(s_secret),
            Limits = new HostLimits { HandshakeTimeout = TimeSpan.FromMilliseconds(150) },
        };
        await using var server = await MessageHost.ListenAsync(MessageEndpoint.Tcp(0), options: options);
        using var exchange = new KeyExchange(new ExchangeSettings(options.Protection, s_secret, isDatagrams: false));
        for (var length = 0; length < 37; length++)
        {
            using var raw = await RawPeer.ConnectAsync(server.Endpoint);
            await raw.SendAsync(exchange.MakeOffer()[..length]);
            if (length % 6 == 0)
                await raw.ReceiveToEndAsync();
        }

        await Signal.UntilAsync(() => server.GetStatistics().Peers == 0);
        Assert.InRange(server.GetCount(DisconnectReason.HandshakeTimeout), 7, 37);
        Assert.Equal(37, server.GetCount(DisconnectReason.HandshakeTimeout) + server.GetCount(DisconnectReason.ConnectionLost));
    }

    [Fact]
    public async Task A_token_that_is_too_short_is_refused_before_anyone_is_listened_to()
    {
        var options = new MessageHostOptions { Token = new byte[8], Protection = ProtectionOptions.WithToken() };

        await Assert.ThrowsAsync<InvalidOperationException>(() => MessageHost.ListenAsync(MessageEndpoint.Tcp(0), options: options));
        await Assert.ThrowsAsync<InvalidOperationException>(() => MessageHost.ConnectAsync(MessageEndpoint.Tcp(1), options: options));
    }

    [Fact]
    public async Task Many_sessions_each_exchange_keys_of_their_own()
    {
        await using var server = await MessageHost.ListenAsync(MessageEndpoint.Tcp(0), Answer, Make("token"));
        var clients = new MessageClient[100];
        for (var i = 0; i < clients.Length; i += 20)
        {
            var connecting = new Task<MessageClient>[20];
            for (var j = 0; j < connecting.Length; j++)
                connecting[j] = MessageHost.ConnectAsync(server.Endpoint, options: Make("token"));
            (await Task.WhenAll(connecting).InTime()).CopyTo(clients, i);
        }

        for (var i = 0; i < clients.Length; i++)
            Assert.Equal(new Pong(i), await clients[i].RequestAsync<Ping, Pong>(new Ping(i)).AsTask().InTime());
        foreach (var client in clients)
            await client.DisposeAsync();
    }

    private static void Answer(MessageServer server) => server.OnRequest((Ping ping) => new Pong(ping.Number));

    private static MessageHostOptions Make(string kind) => kind switch
    {
        "secret" => new MessageHostOptions { Protection = ProtectionOptions.WithSecret(s_secret) },
        "smaller keys" => new MessageHostOptions { Protection = ProtectionOptions.WithSecret(s_secret, 128) },
        "another secret" => new MessageHostOptions { Protection = ProtectionOptions.WithSecret(RandomNumberGenerator.GetBytes(32)) },
        "token" => new MessageHostOptions { Token = s_secret, Protection = ExchangedKeys.WithToken() },
        _ => new MessageHostOptions { Token = RandomNumberGenerator.GetBytes(32), Protection = ExchangedKeys.WithToken() },
    };
}
