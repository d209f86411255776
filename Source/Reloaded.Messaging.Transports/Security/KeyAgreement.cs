using System;
using System.Security.Cryptography;

namespace Reloaded.Messaging;

/// <summary>Derives a key from a Diffie-Hellman exchange and a shared secret.</summary>
internal static class KeyAgreement
{
    /// <summary>Extracts a key from the agreed bytes, followed by the shared bytes.</summary>
    /// <param name="own">The key pair of this side.</param>
    /// <param name="other">The public key of the other side.</param>
    /// <param name="shared">The secret or token that both sides have.</param>
    /// <param name="salt">The salt, which is unique for the connection.</param>
    /// <param name="key">Receives the key: <see cref="KeyDerivation.Size"/> bytes.</param>
    public static void Extract(ECDiffieHellman own, ECDiffieHellmanPublicKey other, ReadOnlySpan<byte> shared, ReadOnlySpan<byte> salt, Span<byte> key)
    {
        var agreed = own.DeriveRawSecretAgreement(other);
        var secret = new byte[agreed.Length + shared.Length];
        agreed.CopyTo(secret, 0);
        shared.CopyTo(secret.AsSpan(agreed.Length));
        KeyDerivation.Extract(secret, salt, key);
        CryptographicOperations.ZeroMemory(agreed);
        CryptographicOperations.ZeroMemory(secret);
    }
}
