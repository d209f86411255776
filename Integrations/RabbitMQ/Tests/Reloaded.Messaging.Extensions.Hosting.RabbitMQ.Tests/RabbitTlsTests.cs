using System;
using System.IO;
using System.Net;
using System.Net.Security;
using System.Net.Sockets;
using System.Security.Authentication;
using System.Security.Cryptography;
using System.Security.Cryptography.X509Certificates;
using System.Threading.Tasks;
using Microsoft.Extensions.DependencyInjection;
using Microsoft.Extensions.Diagnostics.HealthChecks;
using Microsoft.Extensions.Hosting;
using Microsoft.Extensions.Options;
using Reloaded.Messaging.Extensions.Hosting.RabbitMQ;
using Reloaded.Messaging.Tests.Pages;
using Reloaded.Messaging.Tests.Support;
using Xunit;

namespace Reloaded.Messaging.Tests.Worker;

/// <summary>Hosts over RabbitMQ with a broker that uses TLS. Its certificate is self-signed, and for the name "broker.test".</summary>
[Collection(DisturbedBroker.Name)]
public sealed class RabbitTlsTests(BrokerFixture broker) : IDisposable
{
    private readonly LogRecorder _log = new();
    private readonly X509Certificate2 _certificate = CreateCertificate("CN=broker.test", issuer: null);

    private string Thumbprint => _certificate.GetCertHashString(HashAlgorithmName.SHA256);

    public void Dispose()
    {
        _log.Dispose();
        _certificate.Dispose();
    }

    [Fact]
    public async Task Host_connects_to_the_broker_with_the_pinned_certificate()
    {
        var port = await ListenAsync("");
        using var program = await StartAsync(port, ("Thumbprint", Thumbprint));

        await _log.WaitForAsync(3);

        Assert.Equal(HealthStatus.Healthy, (await program.CheckAsync()).Status);
        Assert.DoesNotContain(_log.Entries, static entry => entry.Id == 11);
        await program.StopAsync();
    }

    [Fact]
    public async Task Host_shows_its_certificate_to_a_broker_that_requires_one()
    {
        var port = await ListenAsync(", {cacerts, [Certificate]}, {verify, verify_peer}, {fail_if_no_peer_cert, true}");
        var folder = Directory.CreateTempSubdirectory("tls");
        try
        {
            var path = Path.Combine(folder.FullName, "host.pfx");
            using var own = CreateCertificate("CN=host.test", issuer: _certificate);
            await File.WriteAllBytesAsync(path, own.Export(X509ContentType.Pkcs12, "test"));
            using var program = await StartAsync(port, ("Thumbprint", Thumbprint), ("CertificatePath", path), ("Password", "test"));

            await _log.WaitForAsync(3);

            Assert.DoesNotContain(_log.Entries, static entry => entry.Id == 11);
            await program.StopAsync();
        }
        finally
        {
            folder.Delete(recursive: true);
        }
    }

    [Fact]
    public async Task Certificate_other_than_the_pinned_one_is_refused_with_both_thumbprints()
    {
        var port = await ListenAsync("");
        using var program = await StartAsync(port, ("Thumbprint", new string('A', 64)));

        var failure = $"{(await _log.WaitForAsync(11)).Properties["Failure"]}";
        await program.StopAsync();

        Assert.Contains($"The certificate of the broker has the thumbprint {Thumbprint}; Tls:Thumbprint is {new string('A', 64)}. If the broker has a new certificate", failure, StringComparison.Ordinal);
    }

    [Fact]
    public async Task Certificate_that_the_system_does_not_trust_is_refused_with_its_thumbprint()
    {
        var port = await ListenAsync("");
        using var program = await StartAsync(port, ("TargetHost", "broker.test"));

        var failure = $"{(await _log.WaitForAsync(11)).Properties["Failure"]}";
        await program.StopAsync();

        Assert.Contains("This system does not trust the certificate of the broker (", failure, StringComparison.Ordinal);
        Assert.Contains($"{Thumbprint}, set Tls:Thumbprint to it.", failure, StringComparison.Ordinal);
    }

    [Theory]
    [InlineData(true, "Cannot determine the frame size or a corrupted frame was received.")]
    [InlineData(false, "connection.start was never received")]
    public async Task TLS_of_one_side_only_is_explained_on_the_page(bool hostUsesTls, string text)
    {
        using var program = hostUsesTls ? Build(broker.Get().Port) : Build(await ListenAsync(""), "amqp");
        await program.StartAsync();

        var failure = $"{(await _log.WaitForAsync(11)).Properties["Failure"]}";
        await program.StopAsync();

        Assert.StartsWith(text, failure, StringComparison.Ordinal);
        Assert.Contains($"\n| `{text}` |", await File.ReadAllTextAsync(Page.PathOf("worker-services.md")), StringComparison.Ordinal);
    }

    [Fact]
    public void Certificate_for_another_name_is_refused_with_both_names()
    {
        using var program = Build(port: 5671, tls: ("TargetHost", "other.test"));
        var trust = program.Services.GetRequiredService<IOptionsMonitor<RabbitHostSettings>>().Get("lobby").Connection!.Ssl.CertificateValidationCallback!;

        var refused = Assert.Throws<AuthenticationException>(() => trust(this, _certificate, null, SslPolicyErrors.RemoteCertificateNameMismatch));

        Assert.Equal("The certificate of the broker is for broker.test, and not for other.test. If that name is correct, set Tls:TargetHost to it.", refused.Message);
    }

    private static X509Certificate2 CreateCertificate(string name, X509Certificate2? issuer)
    {
        using var key = RSA.Create(2048);
        var request = new CertificateRequest(name, key, HashAlgorithmName.SHA256, RSASignaturePadding.Pkcs1);
        request.CertificateExtensions.Add(new X509BasicConstraintsExtension(certificateAuthority: issuer is null, false, 0, critical: true));
        if (issuer is null)
            return request.CreateSelfSigned(DateTimeOffset.UtcNow.AddDays(-1), DateTimeOffset.UtcNow.AddDays(1));
        using var signed = request.Create(issuer, issuer.NotBefore, issuer.NotAfter, [1]);
        return signed.CopyWithPrivateKey(key);
    }

    /// <summary>Builds a program with the host "lobby".</summary>
    private IHost Build(int port, string scheme = "amqps", params (string Key, string Value)[] tls)
    {
        var builder = TestProgram.Create(_log, [("lobby:Endpoint", $"{scheme}://127.0.0.1:{port}"), .. Array.ConvertAll(tls, static key => ("lobby:Tls:" + key.Key, key.Value))]);
        builder.Services.AddRabbitHost("lobby");
        builder.Services.AddHealthChecks().AddMessageHosts();
        return builder.Build();
    }

    private async Task<IHost> StartAsync(int port, params (string Key, string Value)[] tls)
    {
        var program = Build(port, tls: tls);
        await program.StartAsync();
        return program;
    }

    /// <summary>Makes the broker listen with TLS, with the certificate of the test.</summary>
    /// <param name="options">Further options in Erlang.</param>
    /// <returns>The port.</returns>
    private async Task<int> ListenAsync(string options)
    {
        using var key = _certificate.GetRSAPrivateKey()!;
        using var listener = new TcpListener(IPAddress.Loopback, 0);
        listener.Start();
        var port = ((IPEndPoint)listener.LocalEndpoint).Port;
        listener.Stop();

        await broker.Get().EvaluateAsync($$"""
            Certificate = base64:decode(<<"{{Convert.ToBase64String(_certificate.RawData)}}">>),
            Key = {'PrivateKeyInfo', base64:decode(<<"{{Convert.ToBase64String(key.ExportPkcs8PrivateKey())}}">>)},
            application:set_env(rabbit, ssl_options, [{cert, Certificate}, {key, Key}{{options}}]),
            rabbit_networking:start_ssl_listener({"127.0.0.1", {{port}}}, rabbit_networking:ensure_ssl(), 1)
            """);
        return port;
    }
}
