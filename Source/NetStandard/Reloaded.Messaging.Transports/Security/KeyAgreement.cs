using System.Security.Cryptography;

namespace Reloaded.Messaging;

/// <summary>Extracts a key from a Diffie-Hellman agreement.</summary>
/// <remarks>
/// This target does not return the raw agreement. It returns an HMAC of the agreement, which is the same as an extraction (RFC 5869, section 2.2).
/// The keys are therefore equal to the keys of the other targets.
/// </remarks>
internal static class KeyAgreement
{
    public static void Extract(ECDiffieHellman own, ECDiffieHellmanPublicKey other, ReadOnlySpan<byte> salt, Span<byte> key)
    {
        var extracted = own.DeriveKeyFromHmac(other, HashAlgorithmName.SHA256, salt.ToArray());
        extracted.CopyTo(key);
        CryptographicOperations.ZeroMemory(extracted);
    }
}
