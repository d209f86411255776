using System.IO;
using System.Security.Cryptography;
using System.Security.Cryptography.X509Certificates;

namespace Reloaded.Messaging.Extensions.Hosting;

/// <summary>The settings of the subsection <c>Tls</c>.</summary>
internal sealed record TlsSettings
{
    /// <summary>The key of the path of <see cref="Certificate"/>.</summary>
    public const string Path = "CertificatePath";

    private const int MaxSize = 1024 * 1024; // bytes of a certificate with its chain

    /// <summary>The settings for the certificate of this side. The password is read first, because it opens the file.</summary>
    public static SettingsTable<TlsSettings> Own { get; } = new SettingsTable<TlsSettings>()
        .Text(nameof(Password), static (tls, value) => tls with { Password = value })
        .Add(Path, ReadCertificate);

    /// <summary>The settings for the certificate that the remote side must have.</summary>
    public static SettingsTable<TlsSettings> Remote { get; } = new SettingsTable<TlsSettings>()
        .Text(nameof(Thumbprint), static (tls, value) => tls with { Thumbprint = value })
        .Text(nameof(TargetHost), static (tls, value) => tls with { TargetHost = value });

    /// <summary>The settings for both certificates.</summary>
    public static SettingsTable<TlsSettings> All { get; } = new SettingsTable<TlsSettings>()
        .Include(Remote, static tls => tls, static (_, tls) => tls)
        .Include(Own, static tls => tls, static (_, tls) => tls);

    /// <summary>The SHA-256 thumbprint of the only certificate to trust.</summary>
    public string? Thumbprint { get; init => field = new TlsOptions { PinnedThumbprint = value }.PinnedThumbprint; }

    public string? TargetHost { get; init; }

    public string? Password { get; init; }

    /// <summary>The certificate of this side, with its private key. It is used until the process ends, so it is not disposed.</summary>
    public X509Certificate2? Certificate { get; init; }

    private static TlsSettings ReadCertificate(SettingsSection section, string key, TlsSettings tls)
    {
        if (section.ReadText(key) is not { } path)
            return tls;
        try
        {
#pragma warning disable SYSLIB0057 // net8.0 does not have X509CertificateLoader
            var certificate = new X509Certificate2(LimitedFile.ReadBytes(path, MaxSize), tls.Password);
#pragma warning restore SYSLIB0057
            if (certificate.HasPrivateKey)
                return tls with { Certificate = certificate };
            certificate.Dispose();
            section.AddError(key, $" is '{path}'", "The file has no private key. Set a file that has the certificate and its key (PKCS #12, .pfx).");
            return tls;
        }
        catch (Exception e) when (e is CryptographicException or IOException or UnauthorizedAccessException)
        {
            section.AddError(key, $" is '{path}'", $"The certificate cannot be loaded: {e.Message.TrimEnd('.')}. Check the path, the format (PKCS #12, .pfx) and the key Password.");
            return tls;
        }
    }
}
