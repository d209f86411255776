using System.Buffers.Binary;
using System.Security.Cryptography;
using Cipher = System.Security.Cryptography.AesGcm;

namespace Reloaded.Messaging.Polyfills;

/// <summary>AES-GCM with a fixed tag size, of the system, or managed where the runtime has none. Mono has none.</summary>
internal sealed class TaggedAesGcm : IDisposable
{
    private static readonly bool s_hasSystem = Probe();

    private readonly Cipher? _cipher;
    private readonly ManagedAesGcm? _managed;
    private readonly int _tagSize;

    public TaggedAesGcm(ReadOnlySpan<byte> key, int tagSizeInBytes)
    {
        _tagSize = tagSizeInBytes;
        if (s_hasSystem)
            _cipher = new Cipher(key);
        else
            _managed = new ManagedAesGcm(key);
    }

    /// <summary>Whether there is AES-GCM. It has the name of the property of newer targets.</summary>
    public static bool IsSupported => true;

    public void Encrypt(ReadOnlySpan<byte> nonce, ReadOnlySpan<byte> plain, Span<byte> ciphertext, Span<byte> tag, ReadOnlySpan<byte> associatedData = default)
    {
        CheckTag(tag);
        if (_cipher is not null)
            _cipher.Encrypt(nonce, plain, ciphertext, tag, associatedData);
        else
            _managed!.Encrypt(nonce, plain, ciphertext, tag, associatedData);
    }

    public void Decrypt(ReadOnlySpan<byte> nonce, ReadOnlySpan<byte> ciphertext, ReadOnlySpan<byte> tag, Span<byte> plain)
    {
        CheckTag(tag);
        if (_cipher is not null)
            _cipher.Decrypt(nonce, ciphertext, tag, plain);
        else
            _managed!.Decrypt(nonce, ciphertext, tag, plain);
    }

    public void Dispose()
    {
        _cipher?.Dispose();
        _managed?.Dispose();
    }

    private static bool Probe()
    {
        try
        {
            using var cipher = new Cipher(new byte[32]);
            return true;
        }
        catch (PlatformNotSupportedException)
        {
            return false;
        }
    }

    private void CheckTag(ReadOnlySpan<byte> tag)
    {
        if (tag.Length != _tagSize)
            throw new ArgumentException($"The tag has {tag.Length} bytes; {_tagSize} are required.", nameof(tag));
    }
}

/// <summary>AES-GCM (NIST SP 800-38D) over the AES of the runtime, for runtimes without AES-GCM. Nonces of 12 bytes, tags of 16 bytes. Associated data only for encryption.</summary>
/// <remarks>It is much slower than the AES-GCM of a system. The time of the multiplication does not depend on its operands; the AES of Mono uses tables.</remarks>
internal sealed class ManagedAesGcm : IDisposable
{
    private const int BlockSize = 16;
    private const int NonceSize = 12;
    private const ulong Reduction = 0xE100_0000_0000_0000; // x^128 = x^7 + x^2 + x + 1, with the bits in the order of the standard

    private readonly object _gate = new();
    private readonly Aes _aes;
    private readonly ICryptoTransform _encryptor;
    private readonly ulong[] _multiples = new ulong[2 * 128]; // the hash key times each power of x: high and low half
    private byte[] _stream = new byte[8 * BlockSize];

    public ManagedAesGcm(ReadOnlySpan<byte> key)
    {
        _aes = Aes.Create();
        (_aes.Mode, _aes.Padding) = (CipherMode.ECB, PaddingMode.None);
        var copy = key.ToArray();
        try
        {
            _encryptor = _aes.CreateEncryptor(copy, null);
        }
        finally
        {
            CryptographicOperations.ZeroMemory(copy);
        }

        var hashKey = new byte[BlockSize];
        _encryptor.TransformBlock(hashKey, 0, BlockSize, hashKey, 0);
        var high = BinaryPrimitives.ReadUInt64BigEndian(hashKey);
        var low = BinaryPrimitives.ReadUInt64BigEndian(hashKey.AsSpan(sizeof(ulong)));
        CryptographicOperations.ZeroMemory(hashKey);
        for (var i = 0; i < _multiples.Length; i += 2)
        {
            (_multiples[i], _multiples[i + 1]) = (high, low);
            var carry = 0 - (low & 1);
            low = (low >> 1) | (high << 63);
            high = (high >> 1) ^ (Reduction & carry);
        }
    }

    public void Encrypt(ReadOnlySpan<byte> nonce, ReadOnlySpan<byte> plain, Span<byte> ciphertext, Span<byte> tag, ReadOnlySpan<byte> associatedData = default)
    {
        lock (_gate)
        {
            MakeStream(nonce, plain.Length);
            ApplyStream(plain, ciphertext);
            WriteTag(associatedData, ciphertext, tag);
        }
    }

    /// <exception cref="CryptographicException">Thrown when the tag does not match. Nothing is decrypted then.</exception>
    public void Decrypt(ReadOnlySpan<byte> nonce, ReadOnlySpan<byte> ciphertext, ReadOnlySpan<byte> tag, Span<byte> plain)
    {
        lock (_gate)
        {
            MakeStream(nonce, ciphertext.Length);
            Span<byte> expected = stackalloc byte[BlockSize];
            WriteTag(default, ciphertext, expected);
            if (!CryptographicOperations.FixedTimeEquals(expected, tag))
            {
                plain.Clear();
                throw new CryptographicException("The tag does not match: the bytes were altered, or were encrypted with another key.");
            }

            ApplyStream(ciphertext, plain);
        }
    }

    public void Dispose()
    {
        lock (_gate)
        {
            _encryptor.Dispose();
            _aes.Dispose();
            Array.Clear(_multiples);
            CryptographicOperations.ZeroMemory(_stream);
        }
    }

    /// <summary>Encrypts the counters: the first block is for the tag, the others are for the bytes.</summary>
    private void MakeStream(ReadOnlySpan<byte> nonce, int size)
    {
        if (nonce.Length != NonceSize)
            throw new ArgumentException($"The nonce has {nonce.Length} bytes; {NonceSize} are required.", nameof(nonce));
        var blocks = 1 + ((size + BlockSize - 1) / BlockSize);
        if (_stream.Length < blocks * BlockSize)
            _stream = new byte[Math.Max(blocks * BlockSize, 2 * _stream.Length)];
        for (var i = 0; i < blocks; i++)
        {
            var block = _stream.AsSpan(i * BlockSize, BlockSize);
            nonce.CopyTo(block);
            BinaryPrimitives.WriteInt32BigEndian(block.Slice(NonceSize), i + 1);
        }

        _encryptor.TransformBlock(_stream, 0, blocks * BlockSize, _stream, 0);
    }

    private void ApplyStream(ReadOnlySpan<byte> source, Span<byte> target)
    {
        for (var i = 0; i < source.Length; i++)
            target[i] = (byte)(source[i] ^ _stream[BlockSize + i]);
    }

    private void WriteTag(ReadOnlySpan<byte> associatedData, ReadOnlySpan<byte> ciphertext, Span<byte> tag)
    {
        if (tag.Length != BlockSize)
            throw new ArgumentException($"The tag has {tag.Length} bytes; {BlockSize} are required.", nameof(tag));
        ulong high = 0;
        ulong low = 0;
        AddBlocks(associatedData, ref high, ref low);
        AddBlocks(ciphertext, ref high, ref low);
        high ^= (ulong)associatedData.Length * 8;
        low ^= (ulong)ciphertext.Length * 8;
        Multiply(ref high, ref low);
        BinaryPrimitives.WriteUInt64BigEndian(tag, high ^ BinaryPrimitives.ReadUInt64BigEndian(_stream));
        BinaryPrimitives.WriteUInt64BigEndian(tag.Slice(sizeof(ulong)), low ^ BinaryPrimitives.ReadUInt64BigEndian(_stream.AsSpan(sizeof(ulong))));
    }

    private void AddBlocks(ReadOnlySpan<byte> bytes, ref ulong high, ref ulong low)
    {
        Span<byte> block = stackalloc byte[BlockSize];
        while (!bytes.IsEmpty)
        {
            var count = Math.Min(BlockSize, bytes.Length);
            block.Clear();
            bytes.Slice(0, count).CopyTo(block);
            high ^= BinaryPrimitives.ReadUInt64BigEndian(block);
            low ^= BinaryPrimitives.ReadUInt64BigEndian(block.Slice(sizeof(ulong)));
            Multiply(ref high, ref low);
            bytes = bytes.Slice(count);
        }
    }

    /// <summary>Multiplies by the hash key. Each bit selects a multiple by a mask, so that the time does not depend on the bits.</summary>
    private void Multiply(ref ulong high, ref ulong low)
    {
        var multiples = _multiples;
        ulong productHigh = 0;
        ulong productLow = 0;
        for (var i = 0; i < 64; i++)
        {
            var inHigh = 0 - ((high >> (63 - i)) & 1);
            var inLow = 0 - ((low >> (63 - i)) & 1);
            productHigh ^= (multiples[2 * i] & inHigh) ^ (multiples[128 + (2 * i)] & inLow);
            productLow ^= (multiples[(2 * i) + 1] & inHigh) ^ (multiples[128 + (2 * i) + 1] & inLow);
        }

        (high, low) = (productHigh, productLow);
    }
}
