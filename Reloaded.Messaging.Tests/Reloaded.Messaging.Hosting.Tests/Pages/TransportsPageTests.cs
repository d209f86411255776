using System.Collections.Concurrent;
using System.Globalization;
using System.IO;
using System.Linq;
using System.Security.Cryptography;
using System.Security.Cryptography.X509Certificates;
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

        var options = new MessageHostOptions { Protection = ProtectionOptions.WithSecret(secret) };                 // both sides

        await AssertConnectsAsync(options, options);
    }

    [Fact]
    public async Task Hosts_are_protected_by_token()
    {
        ExchangedKeys.AssertSupported();
        var token = RandomNumberGenerator.GetBytes(16);

        var options = new MessageHostOptions { Token = token, Protection = ProtectionOptions.WithToken() };         // both sides

        await AssertConnectsAsync(options, options);
    }

    [Fact]
    public async Task Server_is_known_by_its_key()
    {
        ExchangedKeys.AssertSupported();
        var token = RandomNumberGenerator.GetBytes(16);
        using var key = new ServerKeyFile();
        var serverKey = key.PublicKey;

        var protection = ProtectionOptions.WithServerKeyFile(key.Path, createIfMissing: true);
        var server = new MessageHostOptions { Token = token, Protection = protection };
        var client = new MessageHostOptions { Token = token, Protection = ProtectionOptions.WithServerKey(serverKey) };

        await AssertConnectsAsync(server, client);
    }

    [Fact]
    public async Task Hosts_are_protected_by_tls()
    {
        const string password = "password";
        var address = "127.0.0.1";
        var port = 0;
        var token = RandomNumberGenerator.GetBytes(32);
        var folder = Directory.CreateTempSubdirectory("rm-tls").FullName;
        try
        {
            using (var made = new Certificates("game.example"))
                await File.WriteAllBytesAsync(Path.Combine(folder, "server.pfx"), made.Server.Certificate!.Export(X509ContentType.Pkcs12, password), TestContext.Current.CancellationToken);
            using var certificate = X509CertificateLoader.LoadPkcs12FromFile(Path.Combine(folder, "server.pfx"), password);
            await using var server = await MessageHost.ListenAsync(
                MessageEndpoint.Tcp(address, port, new TlsOptions { Certificate = certificate }),
                host => host.OnRequest(static (Move move) => move),
                new MessageHostOptions { Token = token });
            (address, port) = ("localhost", int.Parse(server.Endpoint.ToString().Split(':')[^1], CultureInfo.InvariantCulture));

            string thumbprint = certificate.GetCertHashString(HashAlgorithmName.SHA256);
            await using var client = await MessageHost.ConnectAsync(
                MessageEndpoint.Tcp(address, port, new TlsOptions { PinnedThumbprint = thumbprint }),
                options: new MessageHostOptions { Token = token });
            Assert.Equal(new Move(1), await client.RequestAsync<Move, Move>(new Move(1)));

            var refusal = await Assert.ThrowsAsync<TransportClosedException>(ConnectToNamedAsync); // no system trusts the issuer
            Assert.Contains("does not trust", refusal.Message, StringComparison.Ordinal);
        }
        finally
        {
            Directory.Delete(folder, recursive: true);
        }

        async Task ConnectToNamedAsync()
        {
            await using var named = await MessageHost.ConnectAsync(
                MessageEndpoint.Tcp(address, port, new TlsOptions { TargetHost = "game.example" }),
                options: new MessageHostOptions { Token = token });
        }
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

    [Theory]
    [InlineData("transports.md", 10)]
    [InlineData("security.md", 2)]
    public void Page_shows_lines_that_are_compiled(string page, int atLeast)
    {
        var shown = Page.ReadShown(page);

        Assert.InRange(shown.Count, atLeast, 50);
        Assert.Empty(shown.Where(static line => !line.StartsWith("//", StringComparison.Ordinal) && line.Length > 0).Except(
            Page.ReadCode("TransportsPageTests.cs.txt").Select(static line => line.Replace("Path.Combine(folder, \"server.pfx\")", "\"server.pfx\"", StringComparison.Ordinal).Replace("key.Path", "\"server.pem\"", StringComparison.Ordinal))));
    }

    private static async Task AssertConnectsAsync(MessageHostOptions ofServer, MessageHostOptions ofClient)
    {
        var endpoint = MessageEndpoint.Over(new LossyTransport(), "protected");
        await using var server = await MessageHost.ListenAsync(endpoint, options: ofServer);
        await using var client = await MessageHost.ConnectAsync(endpoint, options: ofClient).InTime();
        await Assert.ThrowsAsync<HandshakeException>(() => MessageHost.ConnectAsync(endpoint).InTime());
    }
}
