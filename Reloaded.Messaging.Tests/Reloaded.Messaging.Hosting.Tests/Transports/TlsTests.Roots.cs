using Reloaded.Messaging.Tests.Support;
using Xunit;

namespace Reloaded.Messaging.Tests.Transports;

/// <content>Clients that trust a root certificate, as a system trusts its own. The netstandard2.1 build has no option for it.</content>
public sealed partial class TlsTests
{
    [Fact]
    public async Task Certificate_of_a_trusted_root_is_accepted_for_its_name()
    {
        using var named = new Certificates("game.example");

        await AskAsync(named.Server, named.TrustingTheRootFor("game.example"));
    }

    [Fact]
    public async Task Certificate_of_a_trusted_root_is_accepted_for_its_address()
    {
        Assert.SkipWhen(TestSystem.IsWine, "Wine compares the host with the DNS names of a certificate only, and not with its addresses.");

        await AskAsync(_certificates.Server, _certificates.TrustingTheRoot);
    }

    [Fact]
    public async Task Certificate_of_another_root_for_another_name_is_refused_because_of_its_root()
    {
        using var others = new Certificates("other.example");

        var refusal = await RefuseAsync(others.Server, _certificates.TrustingTheRootFor("game.example"));

        Assert.Contains("does not trust", refusal, StringComparison.Ordinal);
        Assert.Contains("PinnedThumbprint", refusal, StringComparison.Ordinal);
    }

    [Fact]
    public async Task Certificate_for_another_name_is_refused()
    {
        using var others = new Certificates("other.example");

        var refusal = await RefuseAsync(others.Server, others.TrustingTheRootFor("game.example"));

        Assert.Contains("for other.example, and not for game.example", refusal, StringComparison.Ordinal);
        Assert.Contains("TargetHost", refusal, StringComparison.Ordinal);
    }

    [Theory]
    [InlineData(-20, -10)]
    [InlineData(10, 20)]
    public async Task Trusted_certificate_outside_of_its_dates_is_refused(int from, int to)
    {
        using var certificates = new Certificates("127.0.0.1", from, to);

        Assert.Contains("renewed", await RefuseAsync(certificates.Server, certificates.TrustingTheRoot), StringComparison.Ordinal);
    }
}
