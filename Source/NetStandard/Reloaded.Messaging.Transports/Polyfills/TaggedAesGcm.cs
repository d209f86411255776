using System;
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

    public void Encrypt(ReadOnlySpan<byte> nonce, ReadOnlySpan<byte> plain, Span<byte> ciphertext, Span<byte> tag)
    {
        CheckTag(tag);
        if (_cipher is not null)
            _cipher.Encrypt(nonce, plain, ciphertext, tag);
        else
            _managed!.Encrypt(nonce, plain, ciphertext, tag);
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
