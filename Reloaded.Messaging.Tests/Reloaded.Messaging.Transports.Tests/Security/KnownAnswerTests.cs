using System.Linq;
using Xunit;

namespace Reloaded.Messaging.Tests.Security;

/// <summary>What others computed: published vectors, and this format's own by another library (Python's cryptography 48, on OpenSSL).</summary>
public sealed class KnownAnswerTests
{
    [Theory]
    [InlineData( // RFC 5869, A.1
        "0b0b0b0b0b0b0b0b0b0b0b0b0b0b0b0b0b0b0b0b0b0b", "000102030405060708090a0b0c", "f0f1f2f3f4f5f6f7f8f9",
        "077709362c2e32df0ddc3f0dc47bba6390b6c73bb50f9c3122ec844ad7c2b3e5",
        "3cb25f25faacd57a90434f64d0362f2a2d2d0a90cf1a5a4c5db02d56ecc4c5bf34007208d5b887185865")]
    [InlineData( // RFC 5869, A.3: no salt, no purpose
        "0b0b0b0b0b0b0b0b0b0b0b0b0b0b0b0b0b0b0b0b0b0b", "", "",
        "19ef24a32c717b167f33a91d6f648bdf96596776afdb6377ac434c1c293ccb04",
        "8da4e775a563c18f715f802a063c5a31b8a11f5c5ee1879ec3454e5f3c738d2d9d201395faa4b61a96c8")]
    public void Keys_are_derived_as_RFC_5869_has_it(string secret, string salt, string purpose, string extracted, string expanded)
    {
        var key = new byte[KeyDerivation.Size];
        KeyDerivation.Extract(Bytes(secret), Bytes(salt), key);
        Assert.Equal(Bytes(extracted), key);

        var output = new byte[42];
        KeyDerivation.Expand(key, Bytes(purpose), output);
        Assert.Equal(Bytes(expanded), output);
    }

    [Theory]
    [InlineData(16, "", "58e2fccefa7e3061367f1d57a4e7455a")] // test case 1 of McGrew and Viega, "The Galois/Counter Mode of Operation", as NIST has it
    [InlineData(16, "00000000000000000000000000000000", "0388dace60b6a392f328c2b971b2fe78ab6e47d42cec13bdf53a67b21257bddf")] // 2
    [InlineData(32, "", "530f8afbc74536b9a963b4f1c4cb738b")] // 13
    [InlineData(32, "00000000000000000000000000000000", "cea7403d4d606b6e074ec5d3baf39d18d0d1c8a799996bf0265b98b5d48ab919")] // 14
    public void Packets_are_AES_GCM(int keySize, string plain, string packet)
    {
        using var key = TrafficKey.FromKey(new byte[keySize], nonceStart: 0);
        var bytes = Bytes(plain);
        var made = new byte[bytes.Length + TrafficKey.TagSize];

        key.Seal(0, bytes, made);
        Assert.Equal(Bytes(packet), made);

        var opened = new byte[bytes.Length];
        Assert.True(key.TryOpen(0, made, opened));
        Assert.Equal(bytes, opened);
    }

    [Theory]
    [InlineData(128, 0, 0UL, "ce64a9f81008ef7d40a9bd39e88ec86f01d9e9f5c4af9c5989a5ecd1f4")]
    [InlineData(128, 0, 0x0102030405060708UL, "77e1ee431461b1d1283a73801450fbc8ac2eb0913050c604cfee29f4c7")]
    [InlineData(128, 1, 0UL, "1130c7cab6657b09a77cc15963a3461e53a1fe2c9882b42aaa2a52003e")]
    [InlineData(128, 1, 0x0102030405060708UL, "bcabd7cf2c44d0282f953219d5f47d282b02d4d1a7ef147bbcc909e814")]
    [InlineData(256, 0, 0UL, "6d7d8700085e398ea7ff176bb09d545fb4715614a4f252e17fb4a56dd5")]
    [InlineData(256, 0, 0x0102030405060708UL, "28a05884e258f3027e4233ef77cccea28b2468f83a6c1b023504171e8f")]
    [InlineData(256, 1, 0UL, "04f3458615061d1b0a5c4bede07bed04b6dddbf247112a87422a8c3c5f")]
    [InlineData(256, 1, 0x0102030405060708UL, "5025ead01867b67e7fb0c59f3b1af47979b1ba894d4c2924c8f25283bb")]
    public void A_directions_secret_gives_the_packets_that_another_library_gives(int keyBits, int epoch, ulong number, string packet)
    {
        using var first = new TrafficKey([.. Enumerable.Range(0, TrafficKey.SecretSize).Select(i => (byte)i)], keyBits);
        using var next = first.Next();
        var made = new byte["known to both"u8.Length + TrafficKey.TagSize];

        (epoch == 0 ? first : next).Seal(number, "known to both"u8, made);

        Assert.Equal(packet, Convert.ToHexString(made).ToLowerInvariant());
    }

    private static byte[] Bytes(string hex) => Convert.FromHexString(hex);
}
