using System.Security.Cryptography;

namespace Reloaded.Messaging.Polyfills;

internal static class CryptographyExtensions
{
    extension(HMACSHA256)
    {
        public static byte[] HashData(ReadOnlySpan<byte> key, ReadOnlySpan<byte> source)
        {
            var hash = new byte[32];
            HMACSHA256.HashData(key, source, hash);
            return hash;
        }

        public static int HashData(ReadOnlySpan<byte> key, ReadOnlySpan<byte> source, Span<byte> destination)
        {
            var copy = key.ToArray();
            try
            {
                using var hmac = new HMACSHA256(copy);
                return hmac.TryComputeHash(source, destination, out var written)
                    ? written
                    : throw new ArgumentException($"The destination has {destination.Length} bytes; a hash needs 32. Pass a larger destination.", nameof(destination));
            }
            finally
            {
                CryptographicOperations.ZeroMemory(copy);
            }
        }
    }

    extension(SHA1)
    {
#pragma warning disable CA5350 // Only protocols that require SHA-1 call this method.
        public static byte[] HashData(byte[] source)
        {
            using var hash = SHA1.Create();
            return hash.ComputeHash(source);
        }
#pragma warning restore CA5350
    }

    public static int GetHashAndReset(this IncrementalHash hash, Span<byte> destination) => hash.TryGetHashAndReset(destination, out var written)
        ? written
        : throw new ArgumentException($"The destination has {destination.Length} bytes, which is too small for the hash. Pass a larger destination.", nameof(destination));

    extension(RandomNumberGenerator)
    {
        public static byte[] GetBytes(int count)
        {
            var bytes = new byte[count];
            RandomNumberGenerator.Fill(bytes);
            return bytes;
        }
    }
}

/// <summary>A separate class: two extensions of one class cannot both have a method HashData.</summary>
internal static class Sha256Extensions
{
    extension(SHA256)
    {
        public static byte[] HashData(byte[] source)
        {
            using var hash = SHA256.Create();
            return hash.ComputeHash(source);
        }
    }
}
