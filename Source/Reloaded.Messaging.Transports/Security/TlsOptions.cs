using System.Security.Cryptography.X509Certificates;

namespace Reloaded.Messaging;

/// <summary>The TLS options for TCP: the certificate of a server, and the certificates that a client trusts. Immutable.</summary>
/// <remarks>
/// A server sets <see cref="Certificate"/>. A client pins one certificate, which may be self-signed, or lets the system check the certificate. In the
/// second case, the certificate needs an issuer that the system trusts, and must be for <see cref="TargetHost"/>. In either case, the certificate is
/// valid only between its dates. Clients send no certificate; the token authenticates them.
/// </remarks>
public sealed class TlsOptions
{
    /// <summary>The certificate of the server, with its private key. The caller disposes it after the server.</summary>
    public X509Certificate2? Certificate { get; init; }

    /// <summary>The SHA-256 thumbprint of the only certificate that a client trusts: 64 hexadecimal digits, with optional colons and spaces. <see langword="null"/> to let the system check the certificate (the default).</summary>
    /// <remarks><c>certificate.GetCertHashString(HashAlgorithmName.SHA256)</c> returns the thumbprint.</remarks>
    /// <exception cref="ArgumentException">Thrown when the value is not a SHA-256 thumbprint.</exception>
    public string? PinnedThumbprint { get; init => field = Normalize(value); }

    /// <summary>The name that the certificate of the server must contain, or <see langword="null"/> for the host of the endpoint (the default). Ignored if a thumbprint is pinned.</summary>
    public string? TargetHost { get; init; }

    /// <summary>The only root certificate to trust, instead of the roots of the system. For tests.</summary>
    internal X509Certificate2? TrustedRoot { get; init; }

    private static string? Normalize(string? thumbprint)
    {
        if (thumbprint is null)
            return null;
        var digits = thumbprint.Replace(":", "", StringComparison.Ordinal).Replace(" ", "", StringComparison.Ordinal).ToUpperInvariant();
        var isHexadecimal = digits.Length == 64;
        foreach (var digit in digits)
            isHexadecimal &= Uri.IsHexDigit(digit);
        if (!isHexadecimal)
            throw new ArgumentException($"'{thumbprint}' is not a SHA-256 thumbprint. A SHA-256 thumbprint has 64 hexadecimal digits; the SHA-1 thumbprint that many systems display has 40. Use certificate.GetCertHashString(HashAlgorithmName.SHA256).", nameof(thumbprint));
        return digits;
    }
}
