using System.Security.Cryptography;

namespace Reloaded.Messaging;

/// <summary>The symmetric state of a handshake (The Noise Protocol Framework, revision 34, section 5.2), for messages without a payload.</summary>
/// <remarks>Each message mixes a key before its tag, so the nonce of a tag is always 0. Not thread-safe.</remarks>
internal sealed class SymmetricState : IDisposable
{
    public const int TagSize = 16;

    private const int HashSize = KeyDerivation.Size;

    private readonly byte[] _values = new byte[3 * HashSize];

    /// <param name="protocol">The name of the protocol, at most 32 bytes.</param>
    public SymmetricState(ReadOnlySpan<byte> protocol)
    {
        protocol.CopyTo(Hash);
        protocol.CopyTo(ChainingKey);
    }

    private SymmetricState(byte[] values) => values.CopyTo(_values, 0);

    private Span<byte> Hash => _values.AsSpan(0, HashSize);

    private Span<byte> ChainingKey => _values.AsSpan(HashSize, HashSize);

    private Span<byte> Key => _values.AsSpan(2 * HashSize);

    public SymmetricState Copy() => new(_values);

    /// <summary><c>MixHash</c>.</summary>
    public void MixHash(ReadOnlySpan<byte> data)
    {
        using var hash = IncrementalHash.CreateHash(HashAlgorithmName.SHA256);
        hash.AppendData(Hash);
        hash.AppendData(data);
        hash.GetHashAndReset(Hash);
    }

    /// <summary>The token <c>e</c> of a pattern with a pre-shared key: <c>MixHash</c> and <c>MixKey</c> of a public key.</summary>
    public void MixPublicKey(ReadOnlySpan<byte> publicKey)
    {
        MixHash(publicKey);
        Derive(publicKey, _values.AsSpan(HashSize));
    }

    /// <summary>The tokens <c>ee</c> and <c>es</c>: <c>MixKey</c> of a Diffie-Hellman agreement.</summary>
    /// <param name="own">The key pair of this side.</param>
    /// <param name="theirs">The public key of the other side, which is on the curve.</param>
    public void MixAgreement(ECDiffieHellman own, ReadOnlySpan<byte> theirs)
    {
        Span<byte> extracted = stackalloc byte[HashSize];
        using var other = CurveKeys.FromPoint(theirs);
        using var publicKey = other.PublicKey;
        KeyAgreement.Extract(own, publicKey, ChainingKey, extracted);
        KeyDerivation.Expand(extracted, default, _values.AsSpan(HashSize));
        CryptographicOperations.ZeroMemory(extracted);
    }

    /// <summary>The token <c>psk</c>: <c>MixKeyAndHash</c>.</summary>
    public void MixKeyAndHash(ReadOnlySpan<byte> preSharedKey)
    {
        Span<byte> output = stackalloc byte[3 * HashSize];
        Derive(preSharedKey, output);
        MixHash(output.Slice(HashSize, HashSize));
        output.Slice(0, HashSize).CopyTo(ChainingKey);
        output.Slice(2 * HashSize).CopyTo(Key);
        CryptographicOperations.ZeroMemory(output);
    }

    /// <summary><c>EncryptAndHash</c> of an empty payload.</summary>
    /// <param name="tag">Receives the tag: <see cref="TagSize"/> bytes.</param>
    public void Seal(Span<byte> tag)
    {
        Span<byte> nonce = stackalloc byte[12];
        nonce.Clear();
        using (var cipher = new AesGcm(Key, TagSize))
            cipher.Encrypt(nonce, default, default, tag, Hash);
        MixHash(tag);
    }

    /// <summary><c>DecryptAndHash</c> of an empty payload.</summary>
    /// <returns><see langword="true"/> if the tag is that of the other side; otherwise, <see langword="false"/>.</returns>
    public bool TryOpen(ReadOnlySpan<byte> tag)
    {
        Span<byte> expected = stackalloc byte[TagSize];
        Seal(expected);
        return CryptographicOperations.FixedTimeEquals(expected, tag);
    }

    /// <summary><c>Split</c>: the secrets of the two directions.</summary>
    public (byte[] ToServer, byte[] ToClient) Split()
    {
        Span<byte> output = stackalloc byte[2 * HashSize];
        Derive(default, output);
        var secrets = (output.Slice(0, HashSize).ToArray(), output.Slice(HashSize).ToArray());
        CryptographicOperations.ZeroMemory(output);
        return secrets;
    }

    public void Dispose() => CryptographicOperations.ZeroMemory(_values);

    /// <summary><c>HKDF</c> of the chaining key.</summary>
    private void Derive(ReadOnlySpan<byte> input, Span<byte> output)
    {
        Span<byte> extracted = stackalloc byte[HashSize];
        HMACSHA256.HashData(ChainingKey, input, extracted); // HKDF-Extract of the framework refuses an empty input
        KeyDerivation.Expand(extracted, default, output);
        CryptographicOperations.ZeroMemory(extracted);
    }
}
