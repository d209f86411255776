using System;
using System.Security.Cryptography;

namespace Reloaded.Messaging;

/// <summary>What only two sides know that exchanged points of a curve, and had something in common before.</summary>
/// <remarks>
/// This target hands out no agreement as it is, but its HMAC with something behind it: and that is what an extraction is (RFC 5869, 2.2). So
/// the keys are those of the other targets.
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
