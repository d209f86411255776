using System;
using System.Net.Security;
using System.Security.Cryptography.X509Certificates;
using System.Threading.Tasks;

namespace Reloaded.Messaging.Polyfills;

/// <summary>A server's certificate, read before anything listens. Its chain is built with each connection here, and not once; the system may fetch what is missing of it.</summary>
internal sealed class SslStreamCertificateContext
{
    private SslStreamCertificateContext(X509Certificate2 certificate) => Certificate = certificate;

    public X509Certificate2 Certificate { get; }

    public static SslStreamCertificateContext Create(X509Certificate2 certificate, X509Certificate2Collection? additionalCertificates, bool offline)
    {
        _ = (additionalCertificates, offline); // not to be said to this target
        return new SslStreamCertificateContext(certificate);
    }
}

internal static class TlsExtensions
{
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
                    throw new PlatformNotSupportedException($"The certificate of {options.TargetHost} can be judged by the system's policy alone: netstandard2.1 has no other for TLS.");
            }
        }
    }

    extension(SslStream stream)
    {
        public Task AuthenticateAsClientAsync(SslClientAuthenticationOptions options) => stream.AuthenticateAsClientAsync(options, default);

        public Task AuthenticateAsServerAsync(SslServerAuthenticationOptions options) => stream.AuthenticateAsServerAsync(options, default);
    }
}
