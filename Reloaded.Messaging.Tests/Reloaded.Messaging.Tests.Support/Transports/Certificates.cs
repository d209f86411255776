using System;
using System.Net;
using System.Security.Cryptography;
using System.Security.Cryptography.X509Certificates;

namespace Reloaded.Messaging.Tests.Support;

/// <summary>A root and a server's certificate, made for a test and known nowhere else.</summary>
internal sealed class Certificates : IDisposable
{
    private readonly X509Certificate2 _root;
    private readonly X509Certificate2 _server;

    /// <param name="name">Whom the server's is for.</param>
    /// <param name="from">Since when it is good, in days from now.</param>
    /// <param name="to">Until when.</param>
    public Certificates(string name = "127.0.0.1", int from = -1, int to = 1)
    {
        var now = DateTimeOffset.UtcNow;
        using var rootKey = RSA.Create(2048); // Wine has no keys on elliptic curves
        var root = new CertificateRequest("CN=test root", rootKey, HashAlgorithmName.SHA256, RSASignaturePadding.Pkcs1);
        root.CertificateExtensions.Add(new X509BasicConstraintsExtension(certificateAuthority: true, false, 0, critical: true));
        _root = root.CreateSelfSigned(now.AddDays(-100), now.AddDays(100));

        using var key = RSA.Create(2048);
        var request = new CertificateRequest($"CN={name}", key, HashAlgorithmName.SHA256, RSASignaturePadding.Pkcs1);
        var names = new SubjectAlternativeNameBuilder();
        if (IPAddress.TryParse(name, out var address))
            names.AddIpAddress(address);
        else
            names.AddDnsName(name);
        request.CertificateExtensions.Add(names.Build());
        using var signed = request.Create(_root, now.AddDays(from), now.AddDays(to), RandomNumberGenerator.GetBytes(8));
        using var certificate = signed.CopyWithPrivateKey(key);
        _server = X509CertificateLoader.LoadPkcs12(certificate.Export(X509ContentType.Pkcs12), password: null); // Windows serves TLS with stored keys only
    }

    public TlsOptions Server => new() { Certificate = _server };

    public TlsOptions Pinning => new() { PinnedThumbprint = _server.GetCertHashString(HashAlgorithmName.SHA256) };

    public TlsOptions TrustingTheRoot => new() { TrustedRoot = _root };

    public TlsOptions TrustingTheRootFor(string host) => new() { TrustedRoot = _root, TargetHost = host };

    public void Dispose()
    {
        _root.Dispose();
        _server.Dispose();
    }
}
