using System.Buffers.Binary;
using System.Security.Cryptography;
using Cipher = System.Security.Cryptography.AesGcm;

namespace Reloaded.Messaging.Polyfills;

/// <summary>HKDF (RFC 5869) with SHA-256. Other hash algorithms are not supported.</summary>
internal static class HKDF
{
    private const int HashSize = 32;

    /// <summary>Section 2.2: the HMAC of the key material, with the salt as the key.</summary>
    public static int Extract(HashAlgorithmName hashAlgorithmName, ReadOnlySpan<byte> ikm, ReadOnlySpan<byte> salt, Span<byte> prk)
    {
        Check(hashAlgorithmName);
        return HMACSHA256.HashData(salt, ikm, prk);
    }

    /// <summary>Section 2.3: each block is the HMAC of the previous block, the purpose and a counter.</summary>
    public static void Expand(HashAlgorithmName hashAlgorithmName, ReadOnlySpan<byte> prk, Span<byte> output, ReadOnlySpan<byte> info)
    {
        Check(hashAlgorithmName);
        if (output.Length > byte.MaxValue * HashSize)
            throw new ArgumentException($"The output is {output.Length} bytes; one key expands to at most {byte.MaxValue * HashSize}. Request fewer bytes.", nameof(output));

        Span<byte> text = stackalloc byte[HashSize + info.Length + 1];
        Span<byte> block = stackalloc byte[HashSize];
        var last = 0;
        for (var count = 1; output.Length > 0; count++)
        {
            block.Slice(0, last).CopyTo(text);
            info.CopyTo(text.Slice(last));
            text[last + info.Length] = (byte)count;
            HMACSHA256.HashData(prk, text.Slice(0, last + info.Length + 1), block);
            last = HashSize;
            var size = Math.Min(HashSize, output.Length);
            block.Slice(0, size).CopyTo(output);
            output = output.Slice(size);
        }

        CryptographicOperations.ZeroMemory(text);
        CryptographicOperations.ZeroMemory(block);
    }

    private static void Check(HashAlgorithmName name)
    {
        if (name != HashAlgorithmName.SHA256)
            throw new NotSupportedException($"HKDF with {name} is not supported by this target. Use SHA256.");
    }
}
