using System.Buffers.Binary;
using System.Text.Json.Nodes;
using Reloaded.Messaging.Tests.Support;

namespace Reloaded.Messaging.Tests.Vectors;

/// <summary>The files of docs/vectors about protection.</summary>
internal static class ProtectionVectors
{
    /// <summary>The bytes that carry an offer over UDP: the random bytes and the cookie.</summary>
    public static readonly byte[] Carrier = VectorFile.Sequence(0x30, 33);

    public static VectorFile MakeExchanges()
    {
        var file = new VectorFile(
            "exchanges",
            "Key exchanges. mode: 8 psk0 without keys, 16 NNpsk0, 24 NKpsk0; plus 2 for keys of 256 bits, 4 for datagrams. shared: the secret or the token. clientPrivate, serverPrivate: e of the two sides; staticPrivate, serverKey: s of the server; private keys of P-256, big-endian. carrier: what the MAC covers before the offer. hash: h at the end. toServer, toClient: S0 of each direction.");
        foreach (var mode in (byte[])[0x08, 0x0A, 0x0E, 0x12, 0x16, 0x1A, 0x1E])
        {
            var (hasCurve, hasServerKey) = ((mode & NoiseFormulas.Curve) != 0, (mode & 0x18) == 0x18);
            byte[] carrier = (mode & 4) != 0 ? Carrier : [];
            var made = NoiseFormulas.Make(mode, NoiseFormulas.Shared, carrier);
            file.Add($"mode {mode}", new JsonObject
            {
                ["mode"] = mode,
                ["shared"] = VectorFile.Hex(NoiseFormulas.Shared),
                ["clientPrivate"] = hasCurve ? VectorFile.Hex(NoiseFormulas.Scalar(1)) : null,
                ["serverPrivate"] = hasCurve ? VectorFile.Hex(NoiseFormulas.Scalar(2)) : null,
                ["staticPrivate"] = hasServerKey ? VectorFile.Hex(NoiseFormulas.Scalar(3)) : null,
                ["serverKey"] = hasServerKey ? VectorFile.Hex(NoiseFormulas.Point(3)) : null,
                ["carrier"] = VectorFile.Hex(carrier),
                ["macKey"] = VectorFile.Hex(made.MacKey),
                ["offer"] = VectorFile.Hex(made.Offer),
                ["answer"] = VectorFile.Hex(made.Answer),
                ["hash"] = VectorFile.Hex(made.Hash),
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
}
