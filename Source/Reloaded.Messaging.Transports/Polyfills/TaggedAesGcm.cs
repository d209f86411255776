using System;
using System.Security.Cryptography;
using Cipher = System.Security.Cryptography.AesGcm;

namespace Reloaded.Messaging.Polyfills;

/// <summary>AES-GCM with a fixed tag size. The AES-GCM of this target accepts every supported tag size.</summary>
internal sealed class TaggedAesGcm(ReadOnlySpan<byte> key, int tagSizeInBytes) : IDisposable
{
    private readonly Cipher _cipher = new(key);
    private readonly int _tagSize = tagSizeInBytes;

    /// <summary>Whether the runtime supports AES-GCM. Mono does not.</summary>
    public static bool IsSupported { get; } = Probe();

    public void Encrypt(ReadOnlySpan<byte> nonce, ReadOnlySpan<byte> plain, Span<byte> ciphertext, Span<byte> tag)
    {
        CheckTag(tag);
        _cipher.Encrypt(nonce, plain, ciphertext, tag);
    }

    public void Decrypt(ReadOnlySpan<byte> nonce, ReadOnlySpan<byte> ciphertext, ReadOnlySpan<byte> tag, Span<byte> plain)
    {
        CheckTag(tag);
        _cipher.Decrypt(nonce, ciphertext, tag, plain);
    }

    public void Dispose() => _cipher.Dispose();

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
