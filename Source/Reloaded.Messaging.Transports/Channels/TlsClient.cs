using System.Net.Security;
using System.Security.Cryptography;
using System.Security.Cryptography.X509Certificates;

namespace Reloaded.Messaging;

/// <summary>Connects clients over TCP. Encrypts the connection if there are TLS options, and explains a failure.</summary>
internal static class TlsClient
{
    public static async ValueTask<TransportChannel> ConnectAsync(TransportAddress address, TlsOptions? options, TimeSpan timeout, CancellationToken cancellationToken)
    {
        var connected = await SocketConnector.ConnectToAnyAsync(address, cancellationToken).ConfigureAwait(false);
        return options is null ? connected : await EncryptAsync(connected, address, options, timeout, cancellationToken).ConfigureAwait(false);
    }

    public static ValueTask<TransportChannel> EncryptAsync(TransportChannel connected, TransportAddress address, TlsOptions options, TimeSpan timeout, CancellationToken cancellationToken)
    {
        var trust = new ServerTrust(options, address.Name);
        var authentication = new SslClientAuthenticationOptions
        {
            TargetHost = trust.Host,
            RemoteCertificateValidationCallback = trust.Validate,
            CertificateChainPolicy = trust.MakePolicy(),
        };
        var channel = new TlsChannel(connected, stream => stream.AuthenticateAsClientAsync(authentication), e => trust.Refusal ?? Explain(e));
        return channel.OpenAsync(
            timeout,
            $"{address} accepted the connection, but did not answer in TLS within HostLimits.HandshakeTimeout ({timeout}). Check the port, and set TlsOptions on the endpoint of the server.",
            cancellationToken);
    }

    private static string Explain(Exception e) => $"{e.Message} The server may be running without TLS. Set TlsOptions on its endpoint, or leave them out on both sides.";
}

/// <summary>Decides whether a client trusts the certificate of a server. If not, explains the reason and a solution.</summary>
internal sealed class ServerTrust(TlsOptions options, string host)
{
    /// <summary>The reason for which the certificate was refused, or <see langword="null"/> if it was not refused.</summary>
    public string? Refusal { get; private set; }

    /// <summary>The name that the certificate must contain.</summary>
    public readonly string Host = options.TargetHost ?? host;

    /// <summary>Creates a chain policy that trusts only <see cref="TlsOptions.TrustedRoot"/>. Returns <see langword="null"/> if the roots of the system are trusted.</summary>
    public X509ChainPolicy? MakePolicy()
    {
        if (options.TrustedRoot is null)
            return null;
        var policy = new X509ChainPolicy { TrustMode = X509ChainTrustMode.CustomRootTrust, RevocationMode = X509RevocationMode.NoCheck };
        policy.CustomTrustStore.Add(options.TrustedRoot);
        return policy;
    }

    public bool Validate(object sender, X509Certificate? certificate, X509Chain? chain, SslPolicyErrors errors)
    {
        Refusal = certificate is X509Certificate2 shown ? FindRefusal(shown, chain, errors) : "the server sent no certificate. Set TlsOptions.Certificate on the server.";
        return Refusal is null;
    }

    private string? FindRefusal(X509Certificate2 shown, X509Chain? chain, SslPolicyErrors errors)
    {
        var (now, begin, end) = (TimeProvider.System.GetUtcNow().UtcDateTime, shown.NotBefore.ToUniversalTime(), shown.NotAfter.ToUniversalTime());
        if (now < begin || now > end)
        {
            var renew = options.PinnedThumbprint is null ? "Have the certificate renewed" : "Have the certificate renewed and pin its new thumbprint";
            return $"the certificate of the server is valid from {begin:u} to {end:u}; the time is {now:u}. {renew}, or set the clock.";
        }

        if (options.PinnedThumbprint is { } pinned)
        {
            var thumbprint = Convert.ToHexString(SHA256.HashData(shown.RawData));
            return thumbprint == pinned
                ? null
                : $"the certificate of the server has the thumbprint {thumbprint}; the pinned thumbprint is {pinned}. If the server has a new certificate, pin its thumbprint. Otherwise, this is another server.";
        }

        var hasKnownIssuer = HasKnownIssuer(chain);
        if (errors == SslPolicyErrors.None && hasKnownIssuer)
            return null;
        if (errors == SslPolicyErrors.RemoteCertificateNameMismatch && hasKnownIssuer)
            return $"the certificate of the server is for {shown.GetNameInfo(X509NameType.DnsName, forIssuer: false)}, and not for {Host}. If that name is correct, set TlsOptions.TargetHost, or pin the thumbprint.";
        var reason = chain is { ChainStatus: [var first, ..] } ? first.StatusInformation.Trim() : errors.ToString();
        return $"this system does not trust the certificate of the server ({reason}). Pin its thumbprint with TlsOptions.PinnedThumbprint, or have its issuer trusted.";
    }

    /// <summary>Checks the issuer again: Wine reports an unknown issuer as the status of the chain, but not as an error.</summary>
    private static bool HasKnownIssuer(X509Chain? chain)
    {
        foreach (var found in chain?.ChainStatus ?? [])
        {
            if ((found.Status & (X509ChainStatusFlags.PartialChain | X509ChainStatusFlags.UntrustedRoot)) != 0)
                return false;
        }

        return true;
    }
}
