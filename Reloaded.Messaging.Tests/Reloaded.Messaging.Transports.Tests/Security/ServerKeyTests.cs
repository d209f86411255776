using System.Diagnostics;
using System.IO;
using System.Linq;
using System.Security.Cryptography;
using Reloaded.Messaging.Tests.Support;
using Reloaded.Messaging.Tests.Vectors;
using Xunit;

namespace Reloaded.Messaging.Tests.Security;

/// <summary>A server with a private key, and clients with its public key.</summary>
public sealed class ServerKeyTests : IDisposable
{
    private static readonly byte[] s_token = NoiseFormulas.Shared;

    private readonly ServerKeyFile _file;

    public ServerKeyTests()
    {
        ExchangedKeys.AssertSupported();
        _file = new ServerKeyFile(NoiseFormulas.PrivateKey(3));
    }

    public void Dispose() => _file.Dispose();

    [Fact]
    public async Task WithServerKeyFile_of_a_pipe_throws()
    {
        Assert.SkipWhen(OperatingSystem.IsWindows(), "Windows has no FIFO in a folder.");
        var path = _file.Path + ".fifo";
        using (var make = Process.Start("mkfifo", path))
            await make.WaitForExitAsync(TestContext.Current.CancellationToken);
        try
        {
            var refused = await Assert.ThrowsAsync<ArgumentException>(() => Deadline.RunAside(() => ProtectionOptions.WithServerKeyFile(path)).InTime());

            Assert.Contains("is empty, or is a pipe or a device", refused.Message, StringComparison.Ordinal);
        }
        finally
        {
            File.Delete(path);
        }
    }

    [Theory]
    [InlineData("tcp")]
    [InlineData("udp")]
    public async Task Client_with_the_key_of_the_server_connects(string scheme)
    {
        var (server, client) = (Context(ProtectionOptions.WithServerKeyFile(_file.Path)), Context(ProtectionOptions.WithServerKey(_file.PublicKey)));
        await using var listener = await (scheme == "tcp" ? MessageEndpoint.Tcp(0) : MessageEndpoint.Udp(0)).ListenAsync(server);
        var connecting = listener.Endpoint.ConnectAsync(client).AsTask();
        var accepting = listener.AcceptAsync(default).AsTask();
        var channel = await connecting.InTime();
        await channel.SendAsync(new byte[] { 1, 7 }, default).AsTask().InTime();

        var accepted = await accepting.InTime();
        Assert.Equal([1, 7], await Traffic.ReceiveInPiecesAsync(accepted!, 2, seed: 1).InTime());
        channel.Abort();
        accepted!.Abort();
    }

    [Fact]
    public void Server_that_has_the_token_and_the_public_key_alone_is_found_out()
    {
        using var exchange = new KeyExchange(new ExchangeSettings(ProtectionOptions.WithServerKey(_file.PublicKey), s_token, isDatagrams: true));
        var offer = exchange.MakeOffer(ProtectionVectors.Carrier);
        using var keys = exchange.TryFinish(NoiseFormulas.Respond(offer, s_token, ProtectionVectors.Carrier).Answer);
        Assert.NotNull(keys);

        Assert.Null(exchange.TryFinish(NoiseFormulas.Respond(offer, s_token, ProtectionVectors.Carrier, privateKey: 4).Answer));
    }

    [Fact]
    public async Task Server_that_poses_is_refused_with_a_text_that_names_the_key()
    {
        var (atServer, atClient) = InProcessChannel.CreatePair("posing");
        var settings = new ExchangeSettings(ProtectionOptions.WithServerKey(_file.PublicKey), s_token, isDatagrams: false);
        var connecting = StreamExchange.RunAsync(atClient, settings, isServer: false);
        var offer = await Traffic.ReceiveInPiecesAsync(atServer, settings.OfferSize, seed: 1).InTime();

        await atServer.SendAsync(NoiseFormulas.Respond(offer, s_token, [], privateKey: 4).Answer, default).AsTask().InTime();

        var refusal = await Assert.ThrowsAsync<TransportClosedException>(() => connecting.InTime());
        Assert.Equal(TransportCloseReason.WrongProtection, refusal.Reason);
        Assert.Contains(_file.PublicKey, refusal.Message, StringComparison.Ordinal);
        Assert.Contains("pose as the server", refusal.Message, StringComparison.Ordinal);
        atServer.Abort();
        atClient.Abort();
    }

    [Fact]
    public async Task Earlier_mode_and_other_pattern_are_refused_with_a_text()
    {
        foreach (var (mode, text) in ((byte, string)[])[(3, "earlier version"), (0x0A, "WithSecret"), (0x1A, "WithServerKey")])
        {
            var (atServer, atClient) = InProcessChannel.CreatePair("other mode");
            var settings = new ExchangeSettings(ProtectionOptions.WithToken(), s_token, isDatagrams: false);
            var answering = StreamExchange.RunAsync(atServer, settings, isServer: true);

            await atClient.SendAsync(new byte[] { 0, (byte)'R', (byte)'P', 1, mode }, default).AsTask().InTime();

            var refusal = await Assert.ThrowsAsync<TransportClosedException>(() => answering.InTime());
            Assert.Contains(text, refusal.Message, StringComparison.Ordinal);
            Assert.Equal(settings.Start.ToArray(), await Traffic.ReceiveInPiecesAsync(atClient, ExchangeSettings.StartSize, seed: 1).InTime());
            atServer.Abort();
            atClient.Abort();
        }
    }

    [Fact]
    public void Offer_for_another_key_has_a_wrong_MAC()
    {
        using var other = new ServerKeyFile();
        using var exchange = new KeyExchange(new ExchangeSettings(ProtectionOptions.WithServerKey(other.PublicKey), s_token, isDatagrams: true));
        var server = new ExchangeSettings(ProtectionOptions.WithServerKeyFile(_file.Path), s_token, isDatagrams: true);

        Assert.False(server.HasValidMac(default, exchange.MakeOffer()));
    }

    [Fact]
    public async Task Server_with_the_public_key_alone_does_not_listen()
    {
        var context = Context(ProtectionOptions.WithServerKey(_file.PublicKey));

        var tcp = await Assert.ThrowsAsync<InvalidOperationException>(() => MessageEndpoint.Tcp(0).ListenAsync(context).AsTask());
        var udp = await Assert.ThrowsAsync<InvalidOperationException>(() => MessageEndpoint.Udp(0).ListenAsync(context).AsTask());

        Assert.Contains("WithServerKeyFile", tcp.Message, StringComparison.Ordinal);
        Assert.Equal(tcp.Message, udp.Message);
    }

    [Fact]
    public async Task Client_with_the_private_key_does_not_connect()
    {
        var context = Context(ProtectionOptions.WithServerKeyFile(_file.Path));
        await using var server = await MessageEndpoint.Tcp(0).ListenAsync(context);

        var tcp = await Assert.ThrowsAsync<InvalidOperationException>(() => MessageEndpoint.Tcp(server.Address.Port).ConnectAsync(context).AsTask().InTime());
        var udp = await Assert.ThrowsAsync<InvalidOperationException>(() => MessageEndpoint.Udp(server.Address.Port).ConnectAsync(context).AsTask().InTime());

        Assert.Equal($"The server, and no client, has the private key of {_file.PublicKey}. Use ProtectionOptions.WithServerKeyFile on the server, and WithServerKey on its clients.", tcp.Message);
        Assert.Equal(tcp.Message, udp.Message);
    }

    [Fact]
    public void Key_file_and_public_key_that_are_invalid_are_refused_by_their_value()
    {
        Assert.Equal(_file.PublicKey, ProtectionOptions.WithServerKeyFile(_file.Path).ServerKey);
        Assert.Null(ProtectionOptions.WithToken().ServerKey);
        foreach (var text in (string[])["", "AAAA", Convert.ToBase64String(new byte[64]), _file.PublicKey + "AAAA", "no base64"])
            Assert.Contains($"'{text}'", Assert.Throws<ArgumentException>(() => ProtectionOptions.WithServerKey(text)).Message, StringComparison.Ordinal);

        using var larger = ECDiffieHellman.Create(ECCurve.NamedCurves.nistP384);
        foreach (var text in (string[])["", "no key", "-----BEGIN PRIVATE KEY-----", "-----BEGIN PRIVATE KEY-----AAAA-----END PRIVATE KEY-----", larger.ExportPkcs8PrivateKeyPem()])
        {
            File.WriteAllText(_file.Path, text);
            Assert.Contains(_file.Path, Assert.Throws<ArgumentException>(() => ProtectionOptions.WithServerKeyFile(_file.Path)).Message, StringComparison.Ordinal);
        }

        Assert.Throws<ArgumentException>(() => ProtectionOptions.WithServerKeyFile(_file.Path + ".missing"));
    }

    [Fact]
    public void Key_file_that_is_too_large_is_refused_with_its_size()
    {
        File.WriteAllText(_file.Path, File.ReadAllText(_file.Path).PadRight(65_536));
        Assert.Equal(_file.PublicKey, ProtectionOptions.WithServerKeyFile(_file.Path).ServerKey);
        File.AppendAllText(_file.Path, " ");
        AssertRefused(_file.Path, "has 65537 bytes; the limit is 65536 bytes.");
        if (OperatingSystem.IsLinux())
            AssertRefused("/dev/zero", "cannot be read: '/dev/zero' is empty, or is a pipe or a device."); // a device without an end
    }

    [Fact]
    public async Task Key_file_is_created_once_for_this_user()
    {
        var folder = Directory.CreateTempSubdirectory();
        try
        {
            for (var round = 0; round < 20; round++)
            {
                var path = Path.Combine(folder.FullName, $"{round}.pem");
                using var start = new Barrier(4);

                var keys = await Task.WhenAll(Enumerable.Range(0, start.ParticipantCount).Select(_ => Deadline.RunAside(() =>
                {
                    start.SignalAndWait();
                    return ProtectionOptions.WithServerKeyFile(path, createIfMissing: true).ServerKey;
                }))).InTime();

                Assert.Single(keys.Distinct());
                Assert.Equal(keys[0], ProtectionOptions.WithServerKeyFile(path).ServerKey);
                using var other = ECDiffieHellman.Create();
                other.ImportFromPem(await File.ReadAllTextAsync(path)); // other programs read it
                Assert.Equal(keys[0], Convert.ToBase64String(CurveKeys.GetPublicKey(other)));
                if (!OperatingSystem.IsWindows())
                    Assert.Equal(UnixFileMode.UserRead | UnixFileMode.UserWrite, File.GetUnixFileMode(path));
                Assert.Equal(round + 1, folder.GetFiles().Length);
            }
        }
        finally
        {
            folder.Delete(recursive: true);
        }
    }

    [Fact]
    public void Key_file_that_exists_is_kept_and_a_missing_folder_is_refused()
    {
        File.WriteAllText(_file.Path, "no key");

        Assert.Throws<ArgumentException>(() => ProtectionOptions.WithServerKeyFile(_file.Path, createIfMissing: true));
        Assert.Throws<DirectoryNotFoundException>(() => ProtectionOptions.WithServerKeyFile(Path.Combine(_file.Path + ".missing", "server.pem"), createIfMissing: true));

        Assert.Equal("no key", File.ReadAllText(_file.Path));
    }

    private static void AssertRefused(string path, string reason) =>
        Assert.Contains($"The file '{path}' {reason}", Assert.Throws<ArgumentException>(() => ProtectionOptions.WithServerKeyFile(path)).Message, StringComparison.Ordinal);

    private static TransportContext Context(ProtectionOptions protection) => new() { Token = s_token, Protection = protection };
}
