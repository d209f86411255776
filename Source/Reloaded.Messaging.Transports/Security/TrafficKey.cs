using System;
using System.Buffers.Binary;
using System.Security.Cryptography;

namespace Reloaded.Messaging;

/// <summary>One direction's key in one epoch: packets in, ciphertext and tag out. The next epoch's is derived from it, and never the other way.</summary>
/// <remarks>
/// A nonce is four bytes of the derivation and the packet's number as eight bytes, little-endian. Nothing is given as associated data, since
/// nothing is left over for it: another epoch is another key, another number another nonce, another connection or direction both. (It costs
/// a quarter more for a small packet.) Not thread-safe.
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

    /// <param name="secret">The direction's secret in this epoch, 32 bytes. Belongs to the key from now on, which zeroes it.</param>
    /// <param name="keyBits">128 or 256.</param>
    /// <param name="epoch">How many keys came before.</param>
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

    public uint Epoch { get; }

    /// <summary>A key as it is, for vectors that others published: it has no next.</summary>
    public static TrafficKey FromKey(ReadOnlySpan<byte> key, uint nonceStart) => new(new AesGcm(key, TagSize), key.Length, nonceStart);

    /// <summary>The key of the next epoch.</summary>
    public TrafficKey Next()
    {
        var next = new byte[SecretSize];
        KeyDerivation.Expand(_secret, "next"u8, next);
        return new TrafficKey(next, _keySize * 8, unchecked(Epoch + 1));
    }

    /// <summary>Encrypts. A number may be used once.</summary>
    /// <param name="number">The packet's number.</param>
    /// <param name="plain">What is to be encrypted.</param>
    /// <param name="packet">Room for as much and <see cref="TagSize"/>; may start where <paramref name="plain"/> does.</param>
    public void Seal(ulong number, ReadOnlySpan<byte> plain, Span<byte> packet)
    {
        Span<byte> nonce = stackalloc byte[NonceSize];
        WriteNonce(nonce, number);
        _cipher.Encrypt(nonce, plain, packet.Slice(0, plain.Length), packet.Slice(plain.Length, TagSize));
    }

    /// <summary>Decrypts.</summary>
    /// <param name="number">The number that the packet is said to have.</param>
    /// <param name="packet">Ciphertext and tag, at least <see cref="TagSize"/> bytes.</param>
    /// <param name="plain">Room for what was encrypted; may start where <paramref name="packet"/> does. Zeroed if false.</param>
    /// <returns>False if the bytes are not what was encrypted under this key and number.</returns>
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
