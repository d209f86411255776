using System.Security.Cryptography;

namespace Reloaded.Messaging;

/// <summary>Extracts a key from a Diffie-Hellman agreement.</summary>
internal static class KeyAgreement
{
    /// <summary>Extracts a key from the agreed bytes, which are the x-coordinate.</summary>
    /// <param name="own">The key pair of this side.</param>
    /// <param name="other">The public key of the other side.</param>
    /// <param name="salt">The salt, which is unique for the connection.</param>
    /// <param name="key">Receives the key: <see cref="KeyDerivation.Size"/> bytes.</param>
    public static void Extract(ECDiffieHellman own, ECDiffieHellmanPublicKey other, ReadOnlySpan<byte> salt, Span<byte> key)
    {
        var agreed = own.DeriveRawSecretAgreement(other);
        KeyDerivation.Extract(agreed, salt, key);
        CryptographicOperations.ZeroMemory(agreed);
    }
}
