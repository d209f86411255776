using System;
using System.Collections.Concurrent;
using System.Linq;
using System.Security.Cryptography;
using System.Threading.Tasks;
using Reloaded.Messaging;
using Reloaded.Messaging.Hosting;
using Reloaded.Messaging.Tests.Samples;
using Reloaded.Messaging.Tests.Support;
using Xunit;

namespace Reloaded.Messaging.Tests.Pages;

[Message(60)] public readonly record struct Move(int Step);

[Message(163)] public readonly record struct Damage(int Points);

[Message(61)] public sealed record Chat(string Text);

/// <summary>The code of docs/transports.md, compiled and run.</summary>
public sealed class TransportsPageTests
{
    [Fact]
    public async Task Hosts_are_protected_by_secret()
    {
        var secret = RandomNumberGenerator.GetBytes(16);

        var options = new MessageHostOptions { Protection = ProtectionOptions.WithSecret(secret) };                 // 16 random bytes at least

        await AssertConnectsAsync(options);
    }

    [Fact]
    public async Task Hosts_are_protected_by_token()
    {
        ExchangedKeys.AssertSupported();
        var token = RandomNumberGenerator.GetBytes(16);

        var options = new MessageHostOptions { Token = token, Protection = ProtectionOptions.WithToken() };         // 16 random bytes at least; forward secret

        await AssertConnectsAsync(options);
    }

    [Fact]
    public async Task Server_listens_for_pages()
    {
        const int port = 0;

        await using var server = await MessageHost.ListenAsync(
            MessageEndpoint.WebSocket(port, new WebSocketEndpointOptions { AllowedOrigins = ["http://localhost:8080"] }),
            host => host.OnRequest(static (Move move) => move),
            new MessageHostOptions { Token = RandomNumberGenerator.GetBytes(32) });

        Assert.StartsWith("ws://127.0.0.1:", server.Endpoint.ToString(), StringComparison.Ordinal);
    }

    [Fact]
    public async Task Events_are_delivered_by_type()
    {
        const int port = 0;
        var chats = new ConcurrentQueue<Chat>();

        await using var server = await MessageHost.ListenAsync(MessageEndpoint.Udp(port), host =>
        {
            host.Deliver<Move>(DeliveryMode.Sequenced);         // newest only
            host.Deliver<Damage>(DeliveryMode.ReliableOrdered); // every one, in the order of all reliable messages
            host.Deliver<Chat>(DeliveryMode.ReliableByType);    // every one, in the order of its type
        });
        await using var client = await MessageHost.ConnectAsync(server.Endpoint, host => host.On((in Chat chat, Peer from) => chats.Enqueue(chat)));

        Assert.Equal(1, server.Broadcast(new Chat("hello")));
        await Signal.UntilAsync(() => chats.Contains(new Chat("hello")));
    }

    [Fact]
    public void Page_shows_lines_that_are_compiled()
    {
        var shown = Page.ReadShown("transports.md");

        Assert.InRange(shown.Count, 10, 50);
        Assert.Empty(shown.Except(Page.ReadCode("TransportsPageTests.cs.txt")));
    }

    private static async Task AssertConnectsAsync(MessageHostOptions options)
    {
        var endpoint = MessageEndpoint.Over(new LossyTransport(), "protected");
        await using var server = await MessageHost.ListenAsync(endpoint, options: options);
        await using var client = await MessageHost.ConnectAsync(endpoint, options: options).InTime();
        await Assert.ThrowsAsync<HandshakeException>(() => MessageHost.ConnectAsync(endpoint).InTime());
    }
}
