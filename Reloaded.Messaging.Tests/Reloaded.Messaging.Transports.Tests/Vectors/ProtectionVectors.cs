using System;
using System.Buffers.Binary;
using System.Security.Cryptography;
using System.Text.Json.Nodes;
using Reloaded.Messaging.Tests.Support;

namespace Reloaded.Messaging.Tests.Vectors;

/// <summary>The key exchange by the formulas of docs/specification/wire-format.md, with fixed randoms: the library's own draws new ones each time.</summary>
internal sealed class ProtectionVectors
{
    /// <summary>The secret that both sides know.</summary>
    public static readonly byte[] Shared = VectorFile.Sequence(0xC0, 32);

    private const int PointSize = 64;

    private ProtectionVectors(ReadOnlySpan<byte> offer, ReadOnlySpan<byte> answerStart, ReadOnlySpan<byte> input)
    {
        Said = SHA256.HashData([.. offer, .. answerStart]);
        Key = new byte[KeyDerivation.Size];
        KeyDerivation.Extract(input, Said, Key);
        ServerProof = HMACSHA256.HashData(Expand("server proof"u8), Said);
        ClientProof = HMACSHA256.HashData(Expand("client proof"u8), Said);
        ToServer = Expand("client to server"u8);
        ToClient = Expand("server to client"u8);
        Offer = offer.ToArray();
        Answer = [.. answerStart, .. ServerProof];
    }

    public byte[] Offer { get; }

    public byte[] Answer { get; }

    public byte[] Said { get; }

    public byte[] Key { get; }

    public byte[] ServerProof { get; }

    public byte[] ClientProof { get; }

    public byte[] ToServer { get; }

    public byte[] ToClient { get; }

    /// <summary>Answers an offer of the same mode, as a server with a fixed random and, for points, a fixed private key.</summary>
    public static ProtectionVectors Respond(ReadOnlySpan<byte> offer, byte[] shared)
    {
        byte[] start = [.. offer[..5], .. VectorFile.Sequence(0x60, 32)];
        if ((offer[4] & 1) == 0)
            return new ProtectionVectors(offer, start, shared);
        using var own = PrivateKey(2);
        return new ProtectionVectors(offer, [.. start, .. Point(own)], [.. Agree(own, offer[37..]), .. shared]);
    }

    public static VectorFile MakeExchanges()
    {
        var file = new VectorFile("exchanges", "Key exchanges. mode: 1 points, 2 keys of 256 bits, 4 datagrams. shared: the secret, or with points the token. clientPrivate, serverPrivate: private keys of P-256, big-endian; only with points. toServer, toClient: S0 of each direction.");
        foreach (var mode in (byte[])[0, 2, 3, 6, 7])
        {
            byte[] offer = [0, .. "RP"u8, 1, mode, .. VectorFile.Sequence(0x20, 32)];
            using var own = PrivateKey(1);
            if ((mode & 1) != 0)
                offer = [.. offer, .. Point(own)];
            var made = Respond(offer, Shared);
            file.Add($"mode {mode}", new JsonObject
            {
                ["mode"] = mode,
                ["shared"] = VectorFile.Hex(Shared),
                ["clientPrivate"] = (mode & 1) != 0 ? VectorFile.Hex(Scalar(1)) : null,
                ["serverPrivate"] = (mode & 1) != 0 ? VectorFile.Hex(Scalar(2)) : null,
                ["offer"] = VectorFile.Hex(made.Offer),
                ["answer"] = VectorFile.Hex(made.Answer),
                ["proof"] = VectorFile.Hex(made.ClientProof),
                ["said"] = VectorFile.Hex(made.Said),
                ["key"] = VectorFile.Hex(made.Key),
                ["toServer"] = VectorFile.Hex(made.ToServer),
                ["toClient"] = VectorFile.Hex(made.ToClient),
            });
        }

        return file;
    }

    public static VectorFile MakeRecords()
    {
        var file = new VectorFile("records", "Packets and records. secret: S0 of the direction. packet: ciphertext and tag. record: the packet as it is sent on a stream.");
        foreach (var (bits, epochs, number, size) in ((int, int, ulong, int)[])[(256, 0, 0, 1), (256, 0, 1, 13), (128, 0, 1, 13), (256, 1, 4194304, 13), (256, 2, 0x0102030405060708, 100), (256, 257, 1, 1)])
        {
            var key = new TrafficKey(VectorFile.Sequence(0, TrafficKey.SecretSize), bits);
            for (var epoch = 0; epoch < epochs; epoch++)
            {
                var next = key.Next();
                key.Dispose();
                key = next;
            }

            var plain = VectorFile.Sequence(1, size);
            var packet = new byte[size + TrafficKey.TagSize];
            key.Seal(number, plain, packet);
            key.Dispose();
            var header = new byte[sizeof(ushort)];
            BinaryPrimitives.WriteUInt16LittleEndian(header, (ushort)(1 + packet.Length));
            file.Add($"{bits} bits, epoch {epochs}, number {number}, {size} bytes", new JsonObject
            {
                ["secret"] = VectorFile.Hex(VectorFile.Sequence(0, TrafficKey.SecretSize)),
                ["keyBits"] = bits,
                ["epoch"] = epochs,
                ["number"] = number.ToString(System.Globalization.CultureInfo.InvariantCulture),
                ["plain"] = VectorFile.Hex(plain),
                ["packet"] = VectorFile.Hex(packet),
                ["record"] = VectorFile.Hex([.. header, (byte)epochs, .. packet]),
            });
        }

        return file;
    }

    private byte[] Expand(ReadOnlySpan<byte> purpose)
    {
        var output = new byte[KeyDerivation.Size];
        KeyDerivation.Expand(Key, purpose, output);
        return output;
    }

    private static byte[] Scalar(byte number) => [.. new byte[31], (byte)(number + 40)];

    private static ECDiffieHellman PrivateKey(byte number) => ECDiffieHellman.Create(new ECParameters { Curve = ECCurve.NamedCurves.nistP256, D = Scalar(number) });

    private static byte[] Point(ECDiffieHellman own)
    {
        var point = own.ExportParameters(includePrivateParameters: false).Q;
        return [.. point.X!, .. point.Y!];
    }

    private static byte[] Agree(ECDiffieHellman own, ReadOnlySpan<byte> point)
    {
        using var other = ECDiffieHellman.Create(new ECParameters
        {
            Curve = ECCurve.NamedCurves.nistP256,
            Q = new ECPoint { X = point[..(PointSize / 2)].ToArray(), Y = point[(PointSize / 2)..].ToArray() },
        });
        using var key = other.PublicKey;
        return own.DeriveRawSecretAgreement(key);
    }
}
