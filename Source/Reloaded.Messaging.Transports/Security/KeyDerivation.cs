using System;
using System.Security.Cryptography;

namespace Reloaded.Messaging;

/// <summary>HKDF with SHA-256 (RFC 5869): all that keys are made by.</summary>
internal static class KeyDerivation
{
    public const int Size = 32;

    /// <param name="secret">What only the two sides know.</param>
    /// <param name="salt">What this connection differs by.</param>
    /// <param name="key">Room for 32 bytes.</param>
    public static void Extract(ReadOnlySpan<byte> secret, ReadOnlySpan<byte> salt, Span<byte> key) => HKDF.Extract(HashAlgorithmName.SHA256, secret, salt, key);

    /// <param name="key">What was extracted.</param>
    /// <param name="purpose">What it is for: no two purposes share a key.</param>
    /// <param name="output">What to fill.</param>
    public static void Expand(ReadOnlySpan<byte> key, ReadOnlySpan<byte> purpose, Span<byte> output) => HKDF.Expand(HashAlgorithmName.SHA256, key, output, purpose);
}
