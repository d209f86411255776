using System.Net.Security;
using Reloaded.Messaging.Tests.Support;
using Xunit;

namespace Reloaded.Messaging.Tests.Channels;

[Quiet]
public sealed class ServerTrustZoneTests : IDisposable
{
    private readonly LocalZone _zone = new();

    public void Dispose() => _zone.Dispose();

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
        LocalZone.MoveTo(zone);
        using var certificates = new Certificates("127.0.0.1", fromHours / 24d, toHours / 24d);
        var trust = new ServerTrust(certificates.Pinning, "127.0.0.1");

        var isTrusted = trust.Validate(this, certificates.Server.Certificate, null, SslPolicyErrors.None);

        Assert.Equal(refusal is null, isTrusted);
        Assert.Contains(refusal ?? "", trust.Refusal ?? "", StringComparison.Ordinal);
    }
}
