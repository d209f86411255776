using System;
using System.Security.Cryptography;

namespace Reloaded.Messaging;

/// <summary>Derives a key from a Diffie-Hellman exchange and a shared secret.</summary>
/// <remarks>
/// This target does not return the raw agreement. It returns an HMAC of the agreement and appended bytes, which is the same as an extraction
/// (RFC 5869, section 2.2). The keys are therefore equal to the keys of the other targets.
/// </remarks>
internal static class KeyAgreement
{
    public static void Extract(ECDiffieHellman own, ECDiffieHellmanPublicKey other, ReadOnlySpan<byte> shared, ReadOnlySpan<byte> salt, Span<byte> key)
    {
        var behind = shared.ToArray();
        var extracted = own.DeriveKeyFromHmac(other, HashAlgorithmName.SHA256, salt.ToArray(), secretPrepend: null, secretAppend: behind);
        extracted.CopyTo(key);
        CryptographicOperations.ZeroMemory(extracted);
        CryptographicOperations.ZeroMemory(behind);
    }
}
