using System.Security.Cryptography;
using System.Security.Cryptography.X509Certificates;

namespace Reloaded.Messaging.Extensions.Hosting;

/// <summary>Reads the certificates of the subsection <c>Tls</c>.</summary>
internal static class CertificateReader
{
    /// <summary>The key of the path of a certificate.</summary>
    public const string Path = "CertificatePath";

    /// <summary>Loads the certificate of this side, with its private key. It is used until the process ends, so it is not disposed.</summary>
    /// <returns>The certificate, or <c>null</c> if the key is missing or its value is not valid.</returns>
    public static X509Certificate2? Read(SettingsSection section)
    {
        var (path, password) = (section.ReadText(Path), section.ReadText("Password"));
        try
        {
            return path is null ? null : Load(path, password);
        }
        catch (CryptographicException e)
        {
            section.AddError(Path, $" is '{path}'", $"The certificate cannot be loaded: {e.Message.TrimEnd('.')}. Check the path, the format (PKCS #12, .pfx) and the key Password.");
            return null;
        }
    }

    /// <summary>Reads the SHA-256 thumbprint of the certificate that the remote side must have.</summary>
    public static string? ReadThumbprint(SettingsSection section) =>
section.ReadText("Thumbprint", static value => new TlsOptions { PinnedThumbprint = value });

    private static X509Certificate2 Load(string path, string? password)
    {
#pragma warning disable SYSLIB0057 // net8.0 does not have X509CertificateLoader
        return new X509Certificate2(path, password);
#pragma warning restore SYSLIB0057
    }
}
