using System.Linq;
using System.Security.Cryptography;
using Reloaded.Messaging.Polyfills;
using Xunit;

namespace Reloaded.Messaging.Tests.Polyfills;

/// <summary>Keys and packets here are those of the other targets.</summary>
public sealed class KeyAgreementTests
{
    [Fact]
    public void A_key_is_extracted_of_what_was_agreed()
    {
        using var one = ECDiffieHellman.Create(ECCurve.NamedCurves.nistP256);
        using var two = ECDiffieHellman.Create(ECCurve.NamedCurves.nistP256);
        var salt = RandomNumberGenerator.GetBytes(32);

        var key = new byte[KeyDerivation.Size];
        KeyAgreement.Extract(one, two.PublicKey, salt, key);

        Assert.Equal(System.Security.Cryptography.HKDF.Extract(HashAlgorithmName.SHA256, two.DeriveRawSecretAgreement(one.PublicKey), salt), key);
    }

    [Theory]
    [InlineData(1)]
    [InlineData(32)]
    [InlineData(33)]
    [InlineData(255 * 32)]
    public void A_key_is_expanded_as_elsewhere(int size)
    {
        var (key, purpose) = (RandomNumberGenerator.GetBytes(32), RandomNumberGenerator.GetBytes(20));

        var output = new byte[size];
        KeyDerivation.Expand(key, purpose, output);

        Assert.Equal(System.Security.Cryptography.HKDF.Expand(HashAlgorithmName.SHA256, key, size, purpose), output);
    }

    [Fact]
    public void A_key_is_expanded_no_further_than_the_standard_has_it() =>
        Assert.Throws<ArgumentException>(() => KeyDerivation.Expand(new byte[32], default, new byte[(255 * 32) + 1]));

    [Theory]
    [InlineData(0, 32)]
    [InlineData(0, 0)]
    [InlineData(5, 17)]
    [InlineData(40, 15)]
    public void A_tag_covers_associated_data_as_elsewhere(int size, int associatedSize)
    {
        var (key, nonce) = (RandomNumberGenerator.GetBytes(32), RandomNumberGenerator.GetBytes(12));
        var (plain, associated) = (RandomNumberGenerator.GetBytes(size), RandomNumberGenerator.GetBytes(associatedSize));
        var (expected, expectedTag, ciphertext, tag) = (new byte[size], new byte[16], new byte[size], new byte[16]);
        using var system = new System.Security.Cryptography.AesGcm(key, 16);
        system.Encrypt(nonce, plain, expected, expectedTag, associated);

        using var managed = new ManagedAesGcm(key);
        managed.Encrypt(nonce, plain, ciphertext, tag, associated);

        Assert.Equal(expected, ciphertext);
        Assert.Equal(expectedTag, tag);
    }

    [Fact]
    public void A_tag_of_another_size_than_was_agreed_is_refused()
    {
        using var cipher = new TaggedAesGcm(new byte[32], 16);
        var (nonce, plain, ciphertext, tag) = (new byte[12], new byte[] { 1, 2, 3 }, new byte[3], new byte[16]);
        cipher.Encrypt(nonce, plain, ciphertext, tag);

        Assert.Throws<ArgumentException>(() => cipher.Decrypt(nonce, ciphertext, tag.AsSpan(0, 12), new byte[3])); // which the runtime would take
        Assert.Throws<ArgumentException>(() => cipher.Encrypt(nonce, plain, ciphertext, new byte[12]));
        var opened = new byte[3];
        cipher.Decrypt(nonce, ciphertext, tag, opened);
        Assert.True(plain.SequenceEqual(opened));
    }
}
