using System.Net.Security;
using System.Security.Cryptography.X509Certificates;
using Reloaded.Messaging.Tests.Support;
using Xunit;

namespace Reloaded.Messaging.Tests.Channels;

[Quiet]
public sealed class ServerTrustTests : IDisposable
{
    private const string ZoneVariable = "TZ";

    private readonly string? _zone = Environment.GetEnvironmentVariable(ZoneVariable);
    private readonly Certificates _certificates = new();

    public void Dispose()
    {
        MoveTo(_zone);
        _certificates.Dispose();
    }

    /// <summary>The dates of a certificate are local times in .NET. The zones are further from UTC than the certificates are from a limit.</summary>
    [Theory]
    [InlineData("Pacific/Kiritimati", -1, 1, null)]
    [InlineData("Etc/GMT+12", -1, 1, null)]
    [InlineData("Pacific/Kiritimati", -9, -1, "is valid from")]
    [InlineData("Etc/GMT+12", -9, -1, "is valid from")]
    [InlineData("Pacific/Kiritimati", 1, 9, "is valid from")]
    [InlineData("Etc/GMT+12", 1, 9, "is valid from")]
    public void Dates_of_a_certificate_are_compared_in_UTC(string zone, int fromHours, int toHours, string? refusal)
    {
        MoveTo(zone);
        Assert.SkipUnless(Math.Abs(TimeZoneInfo.Local.BaseUtcOffset.TotalHours) >= 12, "This system has no time zones, or a program cannot choose its own, as on Windows.");
        using var certificates = new Certificates("127.0.0.1", fromHours / 24d, toHours / 24d);
        var trust = new ServerTrust(certificates.Pinning, "127.0.0.1");

        var isTrusted = trust.Validate(this, certificates.Server.Certificate, null, SslPolicyErrors.None);

        Assert.Equal(refusal is null, isTrusted);
        Assert.Contains(refusal ?? "", trust.Refusal ?? "", StringComparison.Ordinal);
    }

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

    private static void MoveTo(string? zone)
    {
        Environment.SetEnvironmentVariable(ZoneVariable, zone);
        TimeZoneInfo.ClearCachedData();
    }
}
