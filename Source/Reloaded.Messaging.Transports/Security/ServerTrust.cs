using System;
using System.Net.Security;
using System.Security.Cryptography;
using System.Security.Cryptography.X509Certificates;

namespace Reloaded.Messaging;

/// <summary>Whether a client believes a server's certificate, and if not, what to do about it.</summary>
internal sealed class ServerTrust(TlsOptions options, string host)
{
    /// <summary>Why the certificate was refused; null while it was not.</summary>
    public string? Refusal { get; private set; }

    /// <summary>The name that the certificate has to be for.</summary>
    public string Host { get; } = options.TargetHost ?? host;

    public X509ChainPolicy? MakePolicy() => options.TrustedRoot is { } root ? TrustPolicy.Of(root) : null;

    public bool Validate(object sender, X509Certificate? certificate, X509Chain? chain, SslPolicyErrors errors)
    {
        Refusal = certificate is X509Certificate2 shown ? Judge(shown, chain, errors) : "the server showed no certificate.";
        return Refusal is null;
    }

    private string? Judge(X509Certificate2 shown, X509Chain? chain, SslPolicyErrors errors)
    {
        var now = TimeProvider.System.GetLocalNow().DateTime; // as the certificate gives its dates
        if (now < shown.NotBefore || now > shown.NotAfter)
            return $"its certificate is good from {shown.NotBefore:u} to {shown.NotAfter:u} alone, and it is {now:u}. Have it renewed, or set the clock.";
        if (options.PinnedThumbprint is { } pinned)
        {
            var thumbprint = shown.GetCertHashString(HashAlgorithmName.SHA256);
            return thumbprint == pinned
                ? null
                : $"its certificate has the thumbprint {thumbprint}, and {pinned} is pinned. If the server has a new certificate, pin that; if not, this is another server.";
        }

        if (errors == SslPolicyErrors.None)
            return null;
        if (errors.HasFlag(SslPolicyErrors.RemoteCertificateNameMismatch))
            return $"its certificate is for {shown.GetNameInfo(X509NameType.DnsName, forIssuer: false)}, and not for {Host}. Set TlsOptions.TargetHost if that is meant, or pin its thumbprint.";
        var reason = chain is { ChainStatus: [var first, ..] } ? first.StatusInformation.Trim() : errors.ToString();
        return $"this system does not trust its certificate ({reason}). Pin its thumbprint by TlsOptions.PinnedThumbprint, or have its issuer trusted.";
    }
}
