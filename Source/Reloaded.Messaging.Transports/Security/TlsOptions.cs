using System;
using System.Security.Cryptography.X509Certificates;

namespace Reloaded.Messaging;

/// <summary>TLS for TCP: what a server shows, and what a client believes. Immutable.</summary>
/// <remarks>
/// A server sets <see cref="Certificate"/>. A client either pins the one certificate that it believes, which may be self-signed, or leaves
/// that to the system: then the certificate is issued by whom the system trusts, and for <see cref="TargetHost"/>. Either way it is of no use
/// before and after the dates in it. Clients show no certificate: who they are, the token says.
/// </remarks>
public sealed class TlsOptions
{
    /// <summary>The server's certificate, with its private key. The caller's to dispose, once the server is.</summary>
    public X509Certificate2? Certificate { get; init; }

    /// <summary>The SHA-256 of the one certificate that a client believes, in hexadecimal: 64 digits, colons and spaces aside. Null to leave it to the system.</summary>
    /// <remarks><c>certificate.GetCertHashString(HashAlgorithmName.SHA256)</c> makes it.</remarks>
    /// <exception cref="ArgumentException">It is none.</exception>
    public string? PinnedThumbprint { get; init => field = Normalize(value); }

    /// <summary>The name that the server's certificate has to be for; null for the endpoint's host. Not looked at where a thumbprint is pinned.</summary>
    public string? TargetHost { get; init; }

    /// <summary>Whom to trust in place of the system's roots. For tests.</summary>
    internal X509Certificate2? TrustedRoot { get; init; }

    private static string? Normalize(string? thumbprint)
    {
        if (thumbprint is null)
            return null;
        var digits = thumbprint.Replace(":", "", StringComparison.Ordinal).Replace(" ", "", StringComparison.Ordinal).ToUpperInvariant();
        var isHexadecimal = digits.Length == 64;
        foreach (var digit in digits)
            isHexadecimal &= char.IsAsciiHexDigit(digit);
        if (!isHexadecimal)
            throw new ArgumentException($"'{thumbprint}' is no SHA-256 thumbprint: that has 64 hexadecimal digits, and the SHA-1 that systems show has 40.", nameof(thumbprint));
        return digits;
    }
}
