using System.Net.Security;
using System.Security.Cryptography.X509Certificates;
using Reloaded.Messaging.Tests.Support;
using Xunit;

namespace Reloaded.Messaging.Tests.Channels;

public sealed class ServerTrustTests : IDisposable
{
    private readonly Certificates _certificates = new();

    public void Dispose() => _certificates.Dispose();

    [Theory]
    [InlineData(SslPolicyErrors.None)]
    [InlineData(SslPolicyErrors.RemoteCertificateNameMismatch)]
    public void Unknown_issuer_that_is_only_a_status_of_the_chain_is_refused(SslPolicyErrors errors)
    {
        // The system reports the same under Wine without this flag.
        using var chain = new X509Chain { ChainPolicy = { RevocationMode = X509RevocationMode.NoCheck, VerificationFlags = X509VerificationFlags.AllowUnknownCertificateAuthority } };
        var certificate = _certificates.Server.Certificate!;
        Assert.True(chain.Build(certificate));
        var trust = new ServerTrust(new TlsOptions(), "127.0.0.1");

        Assert.False(trust.Validate(this, certificate, chain, errors));

        Assert.Contains("does not trust", trust.Refusal!, StringComparison.Ordinal);
    }
}
