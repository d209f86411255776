using System;
using System.IO;
using System.Net;
using System.Security.Cryptography;
using System.Security.Cryptography.X509Certificates;

/// <summary>Creates the certificates of the tests, which Mono cannot create: NAME_FROM_TO_NUMBER.pfx, with RSA keys and the days from now between which they are valid.</summary>
internal static class CertificateFiles
{
    public static void Create(string folder)
    {
        Directory.CreateDirectory(folder);
        foreach (var (name, from, to) in new[] { ("127.0.0.1", -1, 1), ("another.example", -1, 1), ("127.0.0.1", -20, -10), ("127.0.0.1", 10, 20) })
        {
            for (var number = 0; number < 2; number++)
            {
                using var key = RSA.Create(2048);
                var request = new CertificateRequest($"CN={name}", key, HashAlgorithmName.SHA256, RSASignaturePadding.Pkcs1);
                var names = new SubjectAlternativeNameBuilder();
                if (IPAddress.TryParse(name, out var address))
                    names.AddIpAddress(address);
                else
                    names.AddDnsName(name);
                request.CertificateExtensions.Add(names.Build());
                using var certificate = request.CreateSelfSigned(DateTimeOffset.UtcNow.AddDays(from), DateTimeOffset.UtcNow.AddDays(to));
                File.WriteAllBytes(Path.Combine(folder, $"{name}_{from}_{to}_{number}.pfx"), certificate.ExportPkcs12(Pkcs12ExportPbeParameters.Pkcs12TripleDesSha1, "test"));
            }
        }
    }
}
