using System;
using System.Net.Security;
using System.Security.Authentication;
using System.Security.Cryptography;
using System.Security.Cryptography.X509Certificates;

namespace Reloaded.Messaging.Extensions.Hosting.RabbitMQ;

/// <summary>Decides whether a host trusts the certificate of a broker. If not, the exception explains the reason and a solution.</summary>
/// <param name="pinned">The SHA-256 thumbprint of the only certificate to trust; <c>null</c> to let the system check the certificate.</param>
/// <param name="name">The name that the certificate must contain. Ignored if a thumbprint is pinned.</param>
internal sealed class BrokerTrust(string? pinned, string name)
{
    /// <summary>Checks the certificate of a connection.</summary>
    /// <returns><c>true</c>.</returns>
    /// <exception cref="AuthenticationException">Thrown when the certificate is not trusted. The client library reports the exception as the reason of the failed attempt.</exception>
    public bool Validate(object sender, X509Certificate? certificate, X509Chain? chain, SslPolicyErrors errors) =>
        FindRefusal(certificate as X509Certificate2, chain, errors) is { } refusal ? throw new AuthenticationException(refusal) : true;

    private string? FindRefusal(X509Certificate2? shown, X509Chain? chain, SslPolicyErrors errors)
    {
        if (shown is null)
            return "The broker sent no certificate. Set certfile and keyfile in the ssl_options of the broker.";
        var thumbprint = shown.GetCertHashString(HashAlgorithmName.SHA256);
        if (pinned is not null)
        {
            return thumbprint == pinned
                ? null
                : $"The certificate of the broker has the thumbprint {thumbprint}; Tls:Thumbprint is {pinned}. If the broker has a new certificate, set its thumbprint. Otherwise, this is another server.";
        }

        if (errors == SslPolicyErrors.None)
            return null;
        if (errors == SslPolicyErrors.RemoteCertificateNameMismatch)
            return $"The certificate of the broker is for {shown.GetNameInfo(X509NameType.DnsName, forIssuer: false)}, and not for {name}. If that name is correct, set Tls:TargetHost to it.";
        var reason = chain is { ChainStatus: [var first, ..] } ? first.StatusInformation.Trim() : errors.ToString();
        return $"This system does not trust the certificate of the broker ({reason}). If the thumbprint of the certificate of the broker is {thumbprint}, set Tls:Thumbprint to it. Otherwise, have the issuer of its certificate trusted.";
    }
}
