using System.Security.Cryptography;
using System.Text;
using Reloaded.Messaging.Tests.Support;

namespace Reloaded.Messaging.Tests.Vectors;

/// <summary>The handshake by the formulas of docs/specification/wire-format.md, with fixed keys: the library creates new ones each time.</summary>
internal sealed class NoiseFormulas
{
    public const int Curve = 0x10;
    public const int ServerKey = 0x08;

    /// <summary>The secret or token that both sides know.</summary>
    public static readonly byte[] Shared = VectorFile.Sequence(0xC0, 32);

    private readonly byte _mode;
    private byte[] _h;
    private byte[] _ck;
    private byte[] _k = [];

    private NoiseFormulas(byte mode, byte[] shared)
    {
        _mode = mode;
        var name = !HasCurve ? "Reloaded_psk0_AESGCM_SHA256" : HasServerKey ? "Noise_NKpsk0_P256_AESGCM_SHA256" : "Noise_NNpsk0_P256_AESGCM_SHA256";
        _h = [.. Encoding.ASCII.GetBytes(name), .. new byte[32 - name.Length]];
        _ck = _h;
        var extracted = Hmac("Reloaded.Messaging"u8, shared);
        var psk = Hmac(extracted, [.. "psk"u8, 1]);
        MacKey = Hmac(extracted, [.. "mac"u8, .. HasServerKey ? Point(3) : [], 1]);
        MixHash(Start);
        if (HasServerKey)
            MixHash(Point(3));
        var mixed = Hkdf(psk, 3);
        _ck = mixed[0];
        MixHash(mixed[1]);
        _k = mixed[2];
    }

    public byte[] Start => [0, .. "RP"u8, 1, _mode];

    public byte[] MacKey { get; }

    public byte[] Offer { get; private set; } = [];

    public byte[] Answer { get; private set; } = [];

    public byte[] Hash => _h;

    public byte[] ToServer { get; private set; } = [];

    public byte[] ToClient { get; private set; } = [];

    private bool HasCurve => (_mode & Curve) != 0;

    private bool HasServerKey => HasCurve && (_mode & ServerKey) != 0;

    /// <summary>Makes a handshake of two sides whose private keys are those of <see cref="Scalar"/> with the numbers 1 and 2. The key of the server has the number 3.</summary>
    public static NoiseFormulas Make(byte mode, byte[] shared, byte[] carrier)
    {
        var noise = new NoiseFormulas(mode, shared);
        noise.Offer = noise.Say(1, 0x20, key => noise.HasServerKey ? noise.MixAgreement(key, 3) : 0);
        noise.Offer = [.. noise.Offer, .. Hmac(noise.MacKey, [.. carrier, .. noise.Offer])[..16]];
        noise.Answer = noise.Say(2, 0x60, key => noise.MixAgreement(key, 1));
        return noise.Split();
    }

    /// <summary>Answers an offer, as a server with a fixed key.</summary>
    /// <param name="offer">The offer.</param>
    /// <param name="shared">The secret or the token.</param>
    /// <param name="carrier">The bytes before the offer that its MAC covers.</param>
    /// <param name="privateKey">The number of the private key of the server. With another number than 3, the server has only the public key, and goes on although the tag of the offer is wrong.</param>
    public static NoiseFormulas Respond(ReadOnlySpan<byte> offer, byte[] shared, byte[] carrier, byte privateKey = 3)
    {
        var noise = new NoiseFormulas(offer[4], shared);
        if (!offer[^16..].SequenceEqual(Hmac(noise.MacKey, [.. carrier, .. offer[..^16]]).AsSpan(0, 16)))
            throw new ArgumentException("The MAC is wrong.", nameof(offer));
        var theirs = offer[5..^32].ToArray();
        noise.MixPublicKey(theirs);
        if (noise.HasServerKey)
            noise.MixKey(Agree(privateKey, theirs));
        if (!noise.Seal().AsSpan().SequenceEqual(offer[^32..^16]) && privateKey == 3)
            throw new ArgumentException("The tag is wrong.", nameof(offer));
        noise.Answer = noise.Say(2, 0x60, _ =>
        {
            if (noise.HasCurve)
                noise.MixKey(Agree(2, theirs));
            return 0;
        });
        return noise.Split();
    }

    public static byte[] Scalar(byte number) => [.. new byte[31], (byte)(number + 40)];

    public static byte[] Point(byte number)
    {
        using var own = PrivateKey(number);
        var point = own.ExportParameters(includePrivateParameters: false).Q;
        return [.. point.X!, .. point.Y!];
    }

    public static ECDiffieHellman PrivateKey(byte number) => ECDiffieHellman.Create(new ECParameters { Curve = ECCurve.NamedCurves.nistP256, D = Scalar(number) });

    private byte[] Say(byte key, byte random, Func<byte, int> agree)
    {
        var publicKey = HasCurve ? Point(key) : VectorFile.Sequence(random, 32);
        MixPublicKey(publicKey);
        agree(key);
        return [.. Start, .. publicKey, .. Seal()];
    }

    private NoiseFormulas Split()
    {
        var secrets = Hkdf([], 2);
        (ToServer, ToClient) = (secrets[0], secrets[1]);
        return this;
    }

    private int MixAgreement(byte own, byte other)
    {
        if (HasCurve)
            MixKey(Agree(own, Point(other)));
        return 0;
    }

    private void MixPublicKey(byte[] publicKey)
    {
        MixHash(publicKey);
        MixKey(publicKey);
    }

    private void MixHash(byte[] data) => _h = SHA256.HashData([.. _h, .. data]);

    private void MixKey(byte[] input)
    {
        var mixed = Hkdf(input, 2);
        (_ck, _k) = (mixed[0], mixed[1]);
    }

    private byte[] Seal()
    {
        using var cipher = new System.Security.Cryptography.AesGcm(_k, 16);
        var tag = new byte[16];
        cipher.Encrypt(new byte[12], Array.Empty<byte>(), Array.Empty<byte>(), tag, _h);
        MixHash(tag);
        return tag;
    }

    private byte[][] Hkdf(byte[] input, int count)
    {
        var (extracted, last, outputs) = (Hmac(_ck, input), Array.Empty<byte>(), new byte[count][]);
        for (var i = 0; i < count; i++)
            outputs[i] = last = Hmac(extracted, [.. last, (byte)(i + 1)]);
        return outputs;
    }

    private static byte[] Hmac(ReadOnlySpan<byte> key, ReadOnlySpan<byte> data) => HMACSHA256.HashData(key, data);

    private static byte[] Agree(byte own, byte[] point)
    {
        using var pair = PrivateKey(own);
        using var other = ECDiffieHellman.Create(new ECParameters { Curve = ECCurve.NamedCurves.nistP256, Q = new ECPoint { X = point[..32], Y = point[32..] } });
        using var key = other.PublicKey;
        return pair.DeriveRawSecretAgreement(key);
    }
}
