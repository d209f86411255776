using System.Collections.Concurrent;
using System.Net;
using System.Security.Cryptography;
using System.Security.Cryptography.Pkcs;
using System.Security.Cryptography.X509Certificates;

namespace Reloaded.Messaging.Tests.Support;

/// <summary>A root and a server's certificate, made for a test and known nowhere else.</summary>
internal sealed class Certificates : IDisposable
{
    /// <summary>The key of all certificates of servers. Under Wine, each loaded PFX file replaces the key of the certificates that were loaded before, so their keys are equal.</summary>
    private static readonly byte[] s_serverKey = CreateKey();

    /// <summary>The keys of the roots, by the name of the server: creating one takes up to a second. Roots of servers with different names have different keys.</summary>
    private static readonly ConcurrentDictionary<string, byte[]> s_rootKeys = new(StringComparer.Ordinal);

    private readonly X509Certificate2 _root;
    private readonly X509Certificate2 _server;

    /// <param name="name">Whom the server's is for.</param>
    /// <param name="from">Since when it is good, in days from now.</param>
    /// <param name="to">Until when.</param>
    public Certificates(string name = "127.0.0.1", double from = -1, double to = 1)
    {
        var now = DateTimeOffset.UtcNow;
        using var rootKey = RSA.Create();
        rootKey.ImportPkcs8PrivateKey(s_rootKeys.GetOrAdd(name, static _ => CreateKey()), out _);
        var root = new CertificateRequest("CN=test root", rootKey, HashAlgorithmName.SHA256, RSASignaturePadding.Pkcs1);
        root.CertificateExtensions.Add(new X509BasicConstraintsExtension(certificateAuthority: true, false, 0, critical: true));
        var signer = X509SignatureGenerator.CreateForRSA(rootKey, RSASignaturePadding.Pkcs1);
        _root = root.Create(root.SubjectName, signer, now.AddDays(-100), now.AddDays(100), RandomNumberGenerator.GetBytes(8));

        using var key = RSA.Create();
        key.ImportPkcs8PrivateKey(s_serverKey, out _);
        var request = new CertificateRequest($"CN={name}", key, HashAlgorithmName.SHA256, RSASignaturePadding.Pkcs1);
        var names = new SubjectAlternativeNameBuilder();
        if (IPAddress.TryParse(name, out var address))
            names.AddIpAddress(address);
        else
            names.AddDnsName(name);
        request.CertificateExtensions.Add(names.Build());
        using var signed = request.Create(root.SubjectName, signer, now.AddDays(from), now.AddDays(to), RandomNumberGenerator.GetBytes(8));
        _server = WithKey(signed, key);
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

    private static byte[] CreateKey()
    {
        using var key = RSA.Create(2048); // Wine has no keys on elliptic curves
        return key.ExportPkcs8PrivateKey();
    }

    /// <summary>Returns a certificate with its key, by way of a PFX file. Windows serves TLS only with a stored key, and Wine cannot add a key to a certificate.</summary>
    private static X509Certificate2 WithKey(X509Certificate2 certificate, RSA key)
    {
        const string Password = "test";
        var contents = new Pkcs12SafeContents();
        var id = new Pkcs9LocalKeyId([1]);
        contents.AddCertificate(certificate).Attributes.Add(id);
        contents.AddKeyUnencrypted(key).Attributes.Add(id);
        var file = new Pkcs12Builder();
        file.AddSafeContentsUnencrypted(contents);
        file.SealWithMac(Password, HashAlgorithmName.SHA1, iterationCount: 2000);
        // Disposing a certificate deletes its stored key. Under Wine, this is the key of all certificates, so the key stays.
        return X509CertificateLoader.LoadPkcs12(file.Encode(), Password, TestSystem.IsWine ? X509KeyStorageFlags.PersistKeySet : X509KeyStorageFlags.DefaultKeySet);
    }
}
