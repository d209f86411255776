using System.IO;
using System.Linq;
using System.Security.Cryptography;
using System.Security.Cryptography.X509Certificates;
using Microsoft.Extensions.DependencyInjection;
using Microsoft.Extensions.Options;
using Reloaded.Messaging.Extensions.Hosting;
using Reloaded.Messaging.Hosting;
using Xunit;

namespace Reloaded.Messaging.Tests.Worker;

public sealed class SettingsTests
{
    private static MessageHostSettings Read(params (string Key, string Value)[] settings) => Read(isClient: false, settings);

    internal static MessageHostSettings Read(bool isClient, params (string Key, string Value)[] settings)
    {
        var builder = TestProgram.Create(new LogRecorder(), [("game:Endpoint", "local:game"), .. settings.Select(static setting => ("game:" + setting.Key, setting.Value))]);
        _ = isClient ? builder.Services.AddMessageClient("game") : builder.Services.AddMessageServer("game");
        using var program = builder.Build();
        return program.Services.GetRequiredService<IOptionsMonitor<MessageHostSettings>>().Get("game");
    }

    [Fact]
    public void Values_are_read()
    {
        var options = Read(
            ("token", Convert.ToBase64String("sixteen bytes 16"u8)),
            ("PublishedName", "game"),
            ("Protection:Secret", "0x" + Convert.ToHexString(new byte[32])),
            ("Protection:KeyBits", "128"),
            ("RequestTimeout", "00:00:07"),
            ("IdleTimeout", "01:00:00"),
            ("IsPumped", "true"),
            ("MessageLimits:MaxMessageSize", "2048"),
            ("Limits:MaxPeers", "3"),
            ("Limits:MessagesPerSecond", "100"),
            ("Limits:OverflowAction", "drop")).Options;

        Assert.Equal("sixteen bytes 16"u8, options.Token.Span);
        Assert.Equal(("game", 128, TimeSpan.FromSeconds(7), TimeSpan.FromHours(1), true), (options.PublishedName, options.Protection!.KeyBits, options.RequestTimeout, options.IdleTimeout, options.IsPumped));
        Assert.Equal((2048, 3, 100, OverflowAction.Drop), (options.MessageLimits.MaxMessageSize, options.Limits.MaxPeers, options.Limits.MessagesPerSecond, options.Limits.OverflowAction));
        Assert.Equal(HostLimits.Default.MaxPendingBytes, options.Limits.MaxPendingBytes);
    }

    [Fact]
    public void Client_reads_reconnect_and_tls()
    {
        var settings = Read(isClient: true, ("Endpoint", "tcp://example.org:5000"), ("Tls:Thumbprint", new string('A', 64)), ("Reconnect:MaxDelay", "00:00:00.010"), ("Reconnect:ResendsRequests", "true"));

        Assert.Equal("tcp://example.org:5000", settings.Endpoint!.ToString());
        Assert.True(settings.Endpoint.Transport.IsEncrypted);
        Assert.Equal((TimeSpan.FromMilliseconds(10), true), (settings.Options.Reconnect!.MaxDelay, settings.Options.Reconnect.ResendsRequests));
    }

    [Theory]
    [InlineData("Tokn", "x", "The key 'Messaging:game:Tokn' is unknown. Did you mean 'Messaging:game:Token'?")]
    [InlineData("Limits:MaxPers", "1", "Did you mean 'Messaging:game:Limits:MaxPeers'?")]
    [InlineData("AllowedOrigins", "https://game.example", "The key 'Messaging:game:AllowedOrigins' is unknown. The keys are ")]
    [InlineData("Reconnect:MaxDelay", "00:00:01", "The key 'Messaging:game:Reconnect' is unknown")]
    [InlineData("Endpoint", "tpc://a:1", "the scheme 'tpc' is unknown")]
    [InlineData("Limits:MaxPeers", "0", "The value of 'Messaging:game:Limits:MaxPeers' is '0'. MaxPeers is 0; the minimum is 1.")]
    [InlineData("Limits:MaxPeers", "many", "is 'many'. It must be a whole number")]
    [InlineData("Limits:OverflowAction", "Explode", "It must be Disconnect or Drop")]
    [InlineData("RequestTimeout", "5", "It must be a time, such as 00:00:05")]
    [InlineData("Limits:MaxPeers", "99999999999", "is '99999999999'. It must be a whole number of at most 2147483647")]
    [InlineData("Token", "0x", "'Messaging:game:Token' is not valid. It has 2 characters, and must be base64")]
    [InlineData("Token", "not base64!", "'Messaging:game:Token' is not valid. It has 11 characters, and must be base64")]
    [InlineData("Protection:Secret", "AAAA", "The secret is 3 bytes long; the minimum is 16.")]
    [InlineData("Protection:ServerKey", "AAAA", "'AAAA' is not a server key")]
    [InlineData("Protection:ServerKeyFile", "/missing.pem", "The file '/missing.pem' cannot be read")]
    [InlineData("Tls:CertificatePath", "/missing.pfx", "The certificate cannot be loaded")]
    [InlineData("IsPumped", "yes", "It must be true or false")]
    [InlineData("Limits", "7", "It must be a section with keys")]
    [InlineData("Token:Value", "7", "'Messaging:game:Token' is not valid. It has keys")]
    public void Wrong_value_is_an_error_that_names_the_key(string key, string value, string error)
    {
        var thrown = Assert.Throws<OptionsValidationException>(() => Read((key, value)));

        Assert.Contains(thrown.Failures, failure => failure.Contains(error, StringComparison.Ordinal));
        if (key == "Token" && value != "0x")
            Assert.DoesNotContain(value, thrown.Message, StringComparison.Ordinal);
    }

    [Fact]
    public void Certificate_file_that_is_too_large_is_refused_with_its_size()
    {
        var path = Path.GetTempFileName();
        try
        {
            File.WriteAllBytes(path, new byte[1_048_577]);

            var thrown = Assert.Throws<OptionsValidationException>(() => Read(("Tls:CertificatePath", path)));

            Assert.Contains($"The file '{path}' has 1048577 bytes; the limit is 1048576 bytes.", thrown.Message, StringComparison.Ordinal);
        }
        finally
        {
            File.Delete(path);
        }
    }

    [Fact]
    public async Task Certificate_without_its_private_key_is_an_error_that_names_the_key()
    {
        using var key = ECDsa.Create(ECCurve.NamedCurves.nistP256);
        using var certificate = new CertificateRequest("CN=game.test", key, HashAlgorithmName.SHA256).CreateSelfSigned(DateTimeOffset.UtcNow, DateTimeOffset.UtcNow.AddDays(1));
        var path = Path.GetTempFileName();
        try
        {
            await File.WriteAllTextAsync(path, certificate.ExportCertificatePem());

            var thrown = Assert.Throws<OptionsValidationException>(() => Read(("Tls:CertificatePath", path)));

            Assert.Contains($"The value of 'Messaging:game:Tls:CertificatePath' is '{path}'. The file has no private key.", thrown.Message, StringComparison.Ordinal);
        }
        finally
        {
            File.Delete(path);
        }
    }

    [Fact]
    public async Task Program_without_endpoint_does_not_start()
    {
        var builder = TestProgram.Create(new LogRecorder());
        builder.Services.AddMessageServer("game");
        using var program = builder.Build();

        var error = await Assert.ThrowsAsync<OptionsValidationException>(() => program.StartAsync());

        Assert.Contains("'Messaging:game:Endpoint' is missing", error.Message, StringComparison.Ordinal);
    }

    [Fact]
    public void Code_changes_what_was_configured()
    {
        var builder = TestProgram.Create(new LogRecorder(), ("game:Endpoint", "local:game"), ("game:RequestTimeout", "00:00:07"));
        builder.Services.AddMessageServer("game");
        builder.Services.Configure<MessageHostSettings>("game", settings => settings.Options = settings.Options with { IsPumped = true });
        using var program = builder.Build();

        var options = program.Services.GetRequiredService<IOptionsMonitor<MessageHostSettings>>().Get("game").Options;

        Assert.Equal((true, TimeSpan.FromSeconds(7)), (options.IsPumped, options.RequestTimeout));
    }

    [Fact]
    public void Code_sets_the_origins_of_a_server_for_browsers()
    {
        var endpoint = MessageEndpoint.WebSocket(5000, new WebSocketEndpointOptions { AllowedOrigins = ["https://game.example"] });
        var builder = TestProgram.Create(new LogRecorder(), ("game:RequestTimeout", "00:00:07"));
        builder.Services.AddMessageServer("game");
        builder.Services.Configure<MessageHostSettings>("game", settings => settings.Endpoint = endpoint);
        using var program = builder.Build();

        var settings = program.Services.GetRequiredService<IOptionsMonitor<MessageHostSettings>>().Get("game");

        Assert.Same(endpoint, settings.Endpoint);
        Assert.Equal(TimeSpan.FromSeconds(7), settings.Options.RequestTimeout);
    }

    [Fact]
    public void Each_host_needs_a_unique_name() =>
        Assert.Contains("'game'", Assert.Throws<ArgumentException>(static () => new ServiceCollection().AddMessageServer("game").Services.AddMessageClient("game")).Message, StringComparison.Ordinal);
}
