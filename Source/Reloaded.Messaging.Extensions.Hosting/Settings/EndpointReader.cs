using System;

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
        PinnedThumbprint = CertificateReader.ReadThumbprint(section),
        TargetHost = section.ReadText(nameof(TlsOptions.TargetHost)),
    };

    private static TlsOptions ReadServerTls(SettingsSection section)
    {
        if (!section.Has(CertificateReader.Path))
            section.AddError(CertificateReader.Path, "", "The server needs a certificate with its private key. Set the path of a PKCS #12 file (.pfx).");
        return new TlsOptions { Certificate = CertificateReader.Read(section) };
    }
}
