using System.Buffers.Binary;
using System.Security.Cryptography;

namespace Reloaded.Messaging;

/// <summary>Encrypts and decrypts the packets of one direction in one epoch. The key of the next epoch is derived from this key, and not the other way around.</summary>
/// <remarks>
/// A nonce consists of four derived bytes and the packet number as eight bytes, little-endian. There is no associated data, because keys and nonces
/// already bind all values: each epoch, connection and direction has another key, and each number has another nonce. Associated data would also make
/// small packets slower. Not thread-safe.
/// </remarks>
internal sealed class TrafficKey : IDisposable
{
    public const int TagSize = 16;
    public const int SecretSize = 32;

    private const int NonceSize = 12;
    private const int FixedSize = NonceSize - sizeof(ulong);

    private readonly byte[] _secret;
    private readonly uint _nonceStart;
    private readonly int _keySize;
    private readonly AesGcm _cipher;

    /// <param name="secret">The secret of the direction in this epoch, 32 bytes. The key owns the array from now on, and zeroes it.</param>
    /// <param name="keyBits">The size of the key, in bits: 128 or 256.</param>
    /// <param name="epoch">The number of previous keys.</param>
    public TrafficKey(byte[] secret, int keyBits, uint epoch = 0)
    {
        _secret = secret;
        _keySize = keyBits / 8;
        Epoch = epoch;
        Span<byte> derived = stackalloc byte[SecretSize + FixedSize];
        var key = derived.Slice(0, _keySize);
        KeyDerivation.Expand(secret, "key"u8, key);
        KeyDerivation.Expand(secret, "nonce"u8, derived.Slice(SecretSize));
        _nonceStart = BinaryPrimitives.ReadUInt32LittleEndian(derived.Slice(SecretSize));
        _cipher = new AesGcm(key, TagSize);
        CryptographicOperations.ZeroMemory(derived);
    }

    private TrafficKey(AesGcm cipher, int keySize, uint nonceStart)
    {
        _secret = [];
        _keySize = keySize;
        _nonceStart = nonceStart;
        _cipher = cipher;
    }

    public readonly uint Epoch;

    /// <summary>Returns a key with given bytes, for published test vectors. It has no next key.</summary>
    public static TrafficKey FromKey(ReadOnlySpan<byte> key, uint nonceStart) => new(new AesGcm(key, TagSize), key.Length, nonceStart);

    /// <summary>Derives the key of the next epoch.</summary>
    public TrafficKey Next()
    {
        var next = new byte[SecretSize];
        KeyDerivation.Expand(_secret, "next"u8, next);
        return new TrafficKey(next, _keySize * 8, unchecked(Epoch + 1));
    }

    /// <summary>Encrypts a packet. Each number may be used only once.</summary>
    /// <param name="number">The number of the packet.</param>
    /// <param name="plain">The bytes to encrypt.</param>
    /// <param name="packet">Receives the ciphertext and the tag: the size of <paramref name="plain"/> plus <see cref="TagSize"/>. It may start at the same address as <paramref name="plain"/>.</param>
    public void Seal(ulong number, ReadOnlySpan<byte> plain, Span<byte> packet)
    {
        Span<byte> nonce = stackalloc byte[NonceSize];
        WriteNonce(nonce, number);
        _cipher.Encrypt(nonce, plain, packet.Slice(0, plain.Length), packet.Slice(plain.Length, TagSize));
    }

    /// <summary>Decrypts a packet.</summary>
    /// <param name="number">The number of the packet, which is not authenticated yet.</param>
    /// <param name="packet">The ciphertext and the tag, at least <see cref="TagSize"/> bytes.</param>
    /// <param name="plain">Receives the plaintext. It may start at the same address as <paramref name="packet"/>. Zeroed if the result is <see langword="false"/>.</param>
    /// <returns><see langword="true"/> if the packet was encrypted with this key and number; otherwise, <see langword="false"/>.</returns>
    public bool TryOpen(ulong number, ReadOnlySpan<byte> packet, Span<byte> plain)
    {
        Span<byte> nonce = stackalloc byte[NonceSize];
        WriteNonce(nonce, number);
        var size = packet.Length - TagSize;
        try
        {
            _cipher.Decrypt(nonce, packet.Slice(0, size), packet.Slice(size), plain.Slice(0, size));
            return true;
        }
        catch (AuthenticationTagMismatchException)
        {
            return false;
        }
    }

    public void Dispose()
    {
        CryptographicOperations.ZeroMemory(_secret);
        _cipher.Dispose();
    }

    private void WriteNonce(Span<byte> nonce, ulong number)
    {
        BinaryPrimitives.WriteUInt32LittleEndian(nonce, _nonceStart);
        BinaryPrimitives.WriteUInt64LittleEndian(nonce.Slice(FixedSize), number);
    }
}

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
