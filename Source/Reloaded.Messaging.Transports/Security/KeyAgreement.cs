using System;
using System.Security.Cryptography;

namespace Reloaded.Messaging;

/// <summary>What only two sides know that exchanged points of a curve, and had something in common before.</summary>
internal static class KeyAgreement
{
    /// <summary>Extracts a key from what was agreed and, behind it, from what is shared.</summary>
    /// <param name="own">This side's.</param>
    /// <param name="other">The other side's.</param>
    /// <param name="shared">What both had before.</param>
    /// <param name="salt">What this connection differs by.</param>
    /// <param name="key">Room for <see cref="KeyDerivation.Size"/> bytes.</param>
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
