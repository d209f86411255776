using System.Net.Security;
using System.Security.Cryptography.X509Certificates;

namespace Reloaded.Messaging.Polyfills;

/// <summary>The certificate of a server, loaded before the server listens. On this target, the certificate chain is built for each connection, and the system may download missing certificates.</summary>
internal sealed class SslStreamCertificateContext
{
    private SslStreamCertificateContext(X509Certificate2 certificate) => Certificate = certificate;

    public readonly X509Certificate2 Certificate;

    public static SslStreamCertificateContext Create(X509Certificate2 certificate, X509Certificate2Collection? additionalCertificates, bool offline)
    {
        _ = (additionalCertificates, offline); // this target does not support these options
        return new SslStreamCertificateContext(certificate);
    }
}

/// <summary>Replaces the type of newer targets.</summary>
internal enum X509ChainTrustMode
{
    CustomRootTrust = 1,
}

internal static class TlsExtensions
{
    extension(X509ChainPolicy policy)
    {
        public X509ChainTrustMode TrustMode
        {
            set => throw new PlatformNotSupportedException(
                $"The trust mode {value} of {policy} requires a chain policy that netstandard2.1 does not have. Pin the certificate of the server, or use the build for .NET 8 or later.");
        }

        public X509Certificate2Collection CustomTrustStore => policy.ExtraStore;
    }

    extension(SslServerAuthenticationOptions options)
    {
        public SslStreamCertificateContext ServerCertificateContext
        {
            set => options.ServerCertificate = value.Certificate;
        }
    }

    extension(SslClientAuthenticationOptions options)
    {
        public X509ChainPolicy? CertificateChainPolicy
        {
            set
            {
                if (value is not null)
                    throw new PlatformNotSupportedException($"The certificate of {options.TargetHost} cannot be checked with a custom policy: netstandard2.1 supports only the policy of the system. Use the build for .NET 8 or later.");
            }
        }
    }

    public static Task AuthenticateAsClientAsync(this SslStream stream, SslClientAuthenticationOptions options) => stream.AuthenticateAsClientAsync(options, default);

    public static Task AuthenticateAsServerAsync(this SslStream stream, SslServerAuthenticationOptions options) => stream.AuthenticateAsServerAsync(options, default);
}
