using System;
using System.Security.Cryptography;

namespace Reloaded.Messaging.Hosting;

/// <summary>Shows that a side knows the token without sending it: an HMAC over both nonces and the side's role.</summary>
/// <remarks>The role keeps one side's proof from being sent back to it as the other's.</remarks>
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

    /// <summary>Takes as long for a wrong proof as for the right one.</summary>
    public static bool IsRight(ReadOnlySpan<byte> proof, ReadOnlySpan<byte> expected) => CryptographicOperations.FixedTimeEquals(proof, expected);
}
