using System;
using System.Security.Cryptography;
using System.Security.Cryptography.X509Certificates;

namespace Reloaded.Messaging.Extensions.Hosting;

/// <summary>Reads the endpoint of a host, with its TLS options.</summary>
internal static class EndpointReader
{
    public static MessageEndpoint? Read(SettingsSection section, bool isClient)
    {
        var tls = section.ReadSection("Tls", null, tls => isClient ? ReadClientTls(tls) : ReadServerTls(tls));
        if (section.ReadText("Endpoint") is not { } text)
            return null;
        try
        {
            return MessageEndpoint.Parse(text, tls);
        }
        catch (FormatException e)
        {
            section.AddError("Endpoint", "", e.Message);
            return null;
        }
    }

    private static TlsOptions ReadClientTls(SettingsSection section) => new()
    {
        PinnedThumbprint = section.Read<string?>("Thumbprint", null, static (string text, out string? value) => (value = text).Length > 0, "a SHA-256 thumbprint", static value => new TlsOptions { PinnedThumbprint = value }),
        TargetHost = section.ReadText(nameof(TlsOptions.TargetHost)),
    };

    /// <remarks>The certificate is used until the process ends, so it is not disposed.</remarks>
    private static TlsOptions ReadServerTls(SettingsSection section)
    {
        var (path, password) = (section.ReadText("CertificatePath"), section.ReadText("Password"));
        if (path is null)
        {
            section.AddError("CertificatePath", "", "The server needs a certificate with its private key. Set the path of a PKCS #12 file (.pfx).");
            return new TlsOptions();
        }

        try
        {
            return new TlsOptions { Certificate = Load(path, password) };
        }
        catch (CryptographicException e)
        {
            section.AddError("CertificatePath", $" is '{path}'", $"The certificate cannot be loaded: {e.Message.TrimEnd('.')}. Check the path, the format (PKCS #12, .pfx) and the key Password.");
            return new TlsOptions();
        }
    }

    private static X509Certificate2 Load(string path, string? password)
    {
#pragma warning disable SYSLIB0057 // net8.0 does not have X509CertificateLoader
        return new X509Certificate2(path, password);
#pragma warning restore SYSLIB0057
    }
}
