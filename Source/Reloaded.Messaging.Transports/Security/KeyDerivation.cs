using System;
using System.Security.Cryptography;

namespace Reloaded.Messaging;

/// <summary>Derives all keys with HKDF and SHA-256 (RFC 5869).</summary>
internal static class KeyDerivation
{
    public const int Size = 32;

    /// <param name="secret">The secret of the two sides.</param>
    /// <param name="salt">The salt, which is unique for the connection.</param>
    /// <param name="key">Receives the key: 32 bytes.</param>
    public static void Extract(ReadOnlySpan<byte> secret, ReadOnlySpan<byte> salt, Span<byte> key) => HKDF.Extract(HashAlgorithmName.SHA256, secret, salt, key);

    /// <param name="key">The extracted key.</param>
    /// <param name="purpose">The purpose of the output. Each purpose results in another key.</param>
    /// <param name="output">Receives the derived bytes.</param>
    public static void Expand(ReadOnlySpan<byte> key, ReadOnlySpan<byte> purpose, Span<byte> output) => HKDF.Expand(HashAlgorithmName.SHA256, key, output, purpose);
}
