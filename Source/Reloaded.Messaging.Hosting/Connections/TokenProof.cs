using System;
using System.Security.Cryptography;

namespace Reloaded.Messaging.Hosting;

/// <summary>Proves that a side knows the token without sending it: an HMAC over the nonces of the two sides and the role of this side.</summary>
/// <remarks>The role prevents one side's proof from being sent back as the proof of the other side.</remarks>
internal static class TokenProof
{
    public const int Size = 32;

    public static byte[] Make(ReadOnlySpan<byte> token, bool ofServer, ReadOnlySpan<byte> ownNonce, ReadOnlySpan<byte> otherNonce)
    {
        Span<byte> text = stackalloc byte[1 + (2 * HelloMessage.NonceSize)];
        text[0] = ofServer ? (byte)'S' : (byte)'C';
        ownNonce.CopyTo(text.Slice(1));
        otherNonce.CopyTo(text.Slice(1 + HelloMessage.NonceSize));
        return HMACSHA256.HashData(token, text);
    }

    /// <summary>Compares two proofs in constant time.</summary>
    public static bool IsRight(ReadOnlySpan<byte> proof, ReadOnlySpan<byte> expected) => CryptographicOperations.FixedTimeEquals(proof, expected);
}
