using System.Linq;
using System.Security.Cryptography;
using Reloaded.Messaging.Tests.Support;
using Xunit;

namespace Reloaded.Messaging.Tests.Security;

/// <summary>The primitives of the protection give the results of Project Wycheproof. docs/internals/testing.md has the version and the counts.</summary>
public sealed class WycheproofTests
{
    private const int NonceSize = 12;
    private const byte Uncompressed = 4;

    [Fact]
    public void Packets_are_those_of_AES_GCM()
    {
        // Other sizes of keys and nonces are not in use.
        var vectors = WycheproofVector.Read("aes_gcm_test.json").Where(static vector => vector["key"].Length != 24 && vector["iv"].Length == NonceSize && vector["aad"].Length == 0).ToArray();
        Assert.Equal(97, vectors.Length);
        foreach (var vector in vectors)
        {
            var (nonce, plain) = (vector["iv"], vector["msg"]);
            byte[] packet = [.. vector["ct"], .. vector["tag"]];
            var number = BitConverter.ToUInt64(nonce, sizeof(uint));
            using var key = TrafficKey.FromKey(vector["key"], BitConverter.ToUInt32(nonce, 0));

            var opened = new byte[plain.Length];
            Assert.True(key.TryOpen(number, packet, opened) == (vector.Result == "valid"), vector.Name);
            Assert.True(opened.SequenceEqual(vector.Result == "valid" ? plain : new byte[plain.Length]), vector.Name);

            var made = new byte[packet.Length];
            key.Seal(number, plain, made);
            Assert.True(made.SequenceEqual(packet) == (vector.Result == "valid"), vector.Name);
        }
    }

    [Fact]
    public void Tags_over_associated_data_are_those_of_AES_GCM()
    {
        var vectors = WycheproofVector.Read("aes_gcm_test.json").Where(static vector => vector["key"].Length != 24 && vector["iv"].Length == NonceSize && vector["aad"].Length > 0).ToArray();
        Assert.Equal(36, vectors.Length);
        foreach (var vector in vectors)
        {
            using var cipher = new AesGcm(vector["key"], SymmetricState.TagSize);
            var (ciphertext, tag) = (new byte[vector["msg"].Length], new byte[SymmetricState.TagSize]);

            cipher.Encrypt(vector["iv"], vector["msg"], ciphertext, tag, vector["aad"]);

            Assert.True(ciphertext.SequenceEqual(vector["ct"]) && tag.SequenceEqual(vector["tag"]), vector.Name);
        }
    }

    [Fact]
    public void Codes_are_those_of_HMAC_with_SHA_256()
    {
        var vectors = WycheproofVector.Read("hmac_sha256_test.json");
        Assert.Equal(174, vectors.Count);
        foreach (var vector in vectors)
        {
            var (code, tag) = (new byte[32], vector["tag"]);

            HMACSHA256.HashData(vector["key"], vector["msg"], code);

            Assert.True(code.AsSpan(0, tag.Length).SequenceEqual(tag) == (vector.Result == "valid"), vector.Name);
        }
    }

    [Fact]
    public void Keys_are_derived_as_by_HKDF_with_SHA_256()
    {
        var vectors = WycheproofVector.Read("hkdf_sha256_test.json");
        Assert.Equal(86, vectors.Count);
        foreach (var vector in vectors)
        {
            var (key, output) = (new byte[KeyDerivation.Size], new byte[vector.Size]);
            KeyDerivation.Extract(vector["ikm"], vector["salt"], key);
            if (vector.Result == "valid")
            {
                KeyDerivation.Expand(key, vector["info"], output);
                Assert.True(output.SequenceEqual(vector["okm"]), vector.Name);
            }
            else
            {
                Assert.ThrowsAny<ArgumentException>(() => KeyDerivation.Expand(key, vector["info"], output));
            }
        }
    }

    [Fact]
    public void Public_keys_that_are_not_on_P_256_are_refused()
    {
        var vectors = ReadPoints();
        Assert.Equal(346, vectors.Length);
        foreach (var (vector, point) in vectors)
            Assert.True(CurvePoint.IsOnCurve(point) == (vector.Result == "valid"), vector.Name);
    }

    [Fact]
    public void Agreements_are_those_of_ECDH_on_P_256()
    {
        ExchangedKeys.AssertSupported();
        var vectors = ReadPoints().Where(static vector => vector.Vector.Result == "valid").ToArray();
        Assert.Equal(330, vectors.Length);
        var salt = new byte[] { 1, 2, 3 };
        foreach (var (vector, point) in vectors)
        {
            var number = vector["private"].SkipWhile(static value => value == 0).ToArray();
            using var own = ECDiffieHellman.Create(new ECParameters { Curve = ECCurve.NamedCurves.nistP256, D = [.. new byte[CurvePoint.CoordinateSize - number.Length], .. number] });
            using var theirs = CurveKeys.FromPoint(point);
            var (key, expected) = (new byte[KeyDerivation.Size], new byte[KeyDerivation.Size]);

            KeyAgreement.Extract(own, theirs.PublicKey, salt, key);

            KeyDerivation.Extract(vector["shared"], salt, expected);
            Assert.True(key.SequenceEqual(expected), vector.Name);
        }
    }

    /// <summary>Returns the vectors whose public key is an uncompressed point, which is the only form in use.</summary>
    private static (WycheproofVector Vector, byte[] Point)[] ReadPoints() =>
    [
        .. WycheproofVector.Read("ecdh_secp256r1_ecpoint_test.json")
            .Where(static vector => vector["public"] is [Uncompressed, ..] point && point.Length == 1 + CurvePoint.Size)
            .Select(static vector => (vector, vector["public"].AsSpan(1).ToArray())),
    ];
}
