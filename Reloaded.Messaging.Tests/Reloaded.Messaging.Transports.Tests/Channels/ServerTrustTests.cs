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

    /// <summary>A pinned certificate is replaced by one with another thumbprint. The times are in UTC, as their Z says.</summary>
    [Theory]
    [InlineData(true, "Have the certificate renewed and pin its new thumbprint, or set the clock.")]
    [InlineData(false, "Have the certificate renewed, or set the clock.")]
    public void Certificate_outside_of_its_dates_is_refused_with_the_way_out(bool isPinned, string way)
    {
        using var expired = new Certificates("127.0.0.1", -20, -10);
        var certificate = expired.Server.Certificate!;
        var trust = new ServerTrust(isPinned ? expired.Pinning : new TlsOptions(), "127.0.0.1");

        Assert.False(trust.Validate(this, certificate, null, SslPolicyErrors.None));

        Assert.Contains($"valid from {certificate.NotBefore.ToUniversalTime():u} to {certificate.NotAfter.ToUniversalTime():u}; the time is ", trust.Refusal!, StringComparison.Ordinal);
        Assert.EndsWith(way, trust.Refusal, StringComparison.Ordinal);
    }
}
