using System.Security.Cryptography;
using System.Security.Cryptography.X509Certificates;

namespace Reloaded.Messaging.Benchmarks.Hosts;

/// <summary>The certificates of the servers that use TLS.</summary>
public static class SelfSigned
{
    /// <summary>Makes a certificate with a new key on the curve P-256, valid for a day.</summary>
    public static X509Certificate2 Make()
    {
        using var key = ECDsa.Create(ECCurve.NamedCurves.nistP256);
        var now = TimeProvider.System.GetUtcNow();
        return new CertificateRequest("CN=benchmarks", key, HashAlgorithmName.SHA256).CreateSelfSigned(now.AddDays(-1), now.AddDays(1));
    }
}
