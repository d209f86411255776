using System.Linq;
using System.Text.Json.Nodes;
using Reloaded.Messaging.Hosting;
using Reloaded.Messaging.Hosting.BuildingBlocks;
using Reloaded.Messaging.Tests.Support;
using Reloaded.Messaging.Wire;

namespace Reloaded.Messaging.Tests.Vectors;

/// <summary>Makes the vectors of hellos, token proofs, control messages and faults.</summary>
internal static class HandshakeVectors
{
    public static readonly byte[] ClientNonce = VectorFile.Sequence(0x10, HelloMessage.NonceSize);
    public static readonly byte[] ServerNonce = VectorFile.Sequence(0x80, HelloMessage.NonceSize);
    public static readonly byte[] Token = VectorFile.Sequence(0xC0, 32);

    public static readonly MessageContract[] Contracts = [MessageContract.GetDeclared<Ping>(), MessageContract.GetDeclared<Note>()];

    public static VectorFile MakeHellos()
    {
        var file = new VectorFile("hellos", "Payloads of first hellos. status: Ok, OtherVersion or Unreadable. contracts: null with contractsLater, when the 13 bytes are in their place. shape: entries as hexadecimal numbers, not as bytes.");
        var plain = WriteHello(ClientNonce, hasToken: false, includesLayouts: false, Contracts);
        Add("no contracts", WriteHello(ClientNonce, hasToken: false));
        Add("two contracts", plain);
        Add("two contracts with layouts", WriteHello(ClientNonce, hasToken: false, includesLayouts: true, Contracts));
        Add("a contract with a compressor", WriteHello(ClientNonce, hasToken: false, includesLayouts: false, new MessageContract<Note>(4, MessageContract.GetDeclared<Note>().Serializer, new CompressionOptions(new BrotliCompressor()))));
        Add("a token", WriteHello(ClientNonce, hasToken: true));
        Add("a token, and contracts of an earlier version", [.. plain[..5], 1, .. plain[6..]]);
        Add("another magic", [.. "RLM4"u8, .. plain[4..]]);
        Add("another version", [.. plain[..4], 2, .. plain[5..]]);
        Add("another version, and nothing else", [.. plain[..4], 2]);
        Add("a bool of 2", [.. plain[..5], 2, .. plain[6..]]);
        Add("a largest message of 127", [.. plain[..6], 0x7F, .. plain[9..]]);
        Add("a largest message of 128", [.. plain[..6], 0x80, 0x01, .. plain[9..]]);
        Add("a nonce cut short", plain[..20]);
        Add("no count", WriteHello(ClientNonce, hasToken: false)[..^1]);
        Add("a count of null", [.. WriteHello(ClientNonce, hasToken: false)[..^1], 0]);
        Add("a name of null", [.. WriteHello(ClientNonce, hasToken: false)[..^1], 2, 1, 0, 1, 1, 0, 0, 0, 1]);
        Add("fields of null", [.. WriteHello(ClientNonce, hasToken: false)[..^1], 2, 1, 1, 1, 1, 0, 0, 0, 0]);
        Add("one id twice", [.. WriteHello(ClientNonce, hasToken: false)[..^1], 3, 1, 1, 1, 1, 0, 0, 0, 1, 1, 1, 1, 1, 0, 0, 0, 1]);
        Add("a byte after the last contract", [.. plain, 0]);
        Add("no bytes", []);
        return file;

        void Add(string name, byte[] payload) => file.Add(name, Describe(payload));
    }

    public static VectorFile MakeEncodings()
    {
        var file = new VectorFile("encodings", "Comparisons of the encodings that contracts announce. here and there: null if the contracts are compatible; otherwise, the difference as this side and as the other side sees it.");
        foreach (var (ours, theirs) in ((string, string)[])[
            ("binary", "binary"), ("binary", "json"), ("binary", "binary+lz4"), ("binary+lz4", "binary"), ("binary+lz4", "binary+lz4"), ("binary+lz4", "binary+brotli"), ("binary+lz4", "json"),
            ("binary+lz4", "json+lz4"), ("binary+lz4", "a+b+lz4"), ("binary+lz4", ""), ("binary+lz4", "binary+"), ("binary", "binary+none"), ("binary+lz4", "binary+Game.Packer"), ("binary+Game.Packer", "binary+lz4"),
            ("binary+Game.Packer", "binary+Game.Other"), ("binary+Game.Packer", "binary"), ("binary", "binary+Game.Packer")])
        {
            var difference = ContractDescriptor.FindDifference(ours, theirs);
            file.Add($"'{ours}' and '{theirs}'", new JsonObject { ["ours"] = ours, ["theirs"] = theirs, ["here"] = difference?.Here, ["there"] = difference?.There });
        }

        return file;
    }

    public static VectorFile MakeProofs()
    {
        var file = new VectorFile("proofs", "Token proofs: the second hello of each side.");
        foreach (var token in (byte[][])[Token, VectorFile.Sequence(1, 16), VectorFile.Sequence(0, 100)])
        {
            file.Add($"client, a token of {token.Length} bytes", Proof(token, ofServer: false));
            file.Add($"server, a token of {token.Length} bytes", Proof(token, ofServer: true));
        }

        return file;
    }

    public static VectorFile MakeControl()
    {
        var file = new VectorFile("control", "Control messages as the library sends them. payload: the part after the header.");
        Add("last hello", ControlCode.Hello, []);
        Add("ping", ControlCode.Ping, VectorFile.Sequence(1, 8));
        Add("pong", ControlCode.Pong, VectorFile.Sequence(1, 8));
        Add("goodbye, Requested", ControlCode.Goodbye, [(byte)DisconnectReason.Requested]);
        Add("goodbye, Kicked, with a text", ControlCode.Goodbye, [(byte)DisconnectReason.Kicked, .. "Bye: ß€"u8]);
        Add("cancel 300", ControlCode.Cancel, [0xAC, 0x02]);
        return file;

        void Add(string name, uint opcode, byte[] payload)
        {
            using var packed = ControlMessage.Pack(opcode, payload);
            file.Add(name, new JsonObject { ["bytes"] = VectorFile.Hex(packed.Span), ["opcode"] = opcode, ["payload"] = VectorFile.Hex(payload) });
        }
    }

    public static VectorFile MakeFaults()
    {
        var file = new VectorFile("faults", "Payloads of faults. status: Ok or Unreadable.");
        Add("NoHandler", Fault.Write(FaultCode.NoHandler, "No.", 1 << 20));
        Add("1000, no text", Fault.Write(1000, "", 1 << 20));
        Add("2^31-1", Fault.Write(int.MaxValue, "ß€", 1 << 20));
        Add("0", [0]);
        Add("2^31", [0x80, 0x80, 0x80, 0x80, 0x08]);
        Add("no code", []);
        Add("a code in two bytes, where one is enough", [0x81, 0x00]);
        Add("text that is not UTF-8", [1, 0xFF]);
        Add("text that ends in the middle of a character", [1, 0xE2, 0x82]);
        return file;

        void Add(string name, byte[] payload)
        {
            var fault = Fault.TryRead(payload);
            file.Add(name, new JsonObject
            {
                ["bytes"] = VectorFile.Hex(payload),
                ["status"] = fault is null ? "Unreadable" : "Ok",
                ["code"] = fault is null ? null : (int)fault.Code,
                ["text"] = fault?.Message,
            });
        }
    }

    /// <summary>Writes a first hello as a host does, with a nonce of the caller's.</summary>
    public static byte[] WriteHello(byte[] nonce, bool hasToken, params MessageContract[] contracts) => WriteHello(nonce, hasToken, includesLayouts: true, contracts);

    private static byte[] WriteHello(byte[] nonce, bool hasToken, bool includesLayouts, params MessageContract[] contracts)
    {
        var told = hasToken ? HelloMessage.ContractsLater.ToArray() : includesLayouts ? ContractDescriptor.WriteAll(contracts) : ContractDescriptor.WriteAll(contracts, null);
        var framed = RawPeer.Hello(new HelloMessage { MaxMessageSize = 1 << 20, Nonce = nonce, HasToken = hasToken, Contracts = told });
        ReadOnlySpan<byte> rest = framed;
        Frame.TryRead(ref rest, int.MaxValue, out var message);
        return message[3..].ToArray(); // after 7F 04 00
    }

    private static JsonObject Proof(byte[] token, bool ofServer)
    {
        var (own, other) = ofServer ? (ServerNonce, ClientNonce) : (ClientNonce, ServerNonce);
        return new JsonObject
        {
            ["token"] = VectorFile.Hex(token),
            ["role"] = ofServer ? "server" : "client",
            ["ownNonce"] = VectorFile.Hex(own),
            ["otherNonce"] = VectorFile.Hex(other),
            ["proof"] = VectorFile.Hex(TokenProof.Make(token, ofServer, own, other)),
        };
    }

    private static JsonObject Describe(byte[] payload)
    {
        var one = new JsonObject { ["bytes"] = VectorFile.Hex(payload) };
        if (HelloMessage.TryRead(payload) is not { } hello)
        {
            one["status"] = "Unreadable";
        }
        else if (hello.ProtocolVersion != HelloMessage.Version)
        {
            one["status"] = "OtherVersion";
        }
        else
        {
            var contracts = hello.SendsContractsLater ? null : AnnouncedContracts.TryRead(hello.Contracts);
            one["status"] = contracts is null && !hello.SendsContractsLater ? "Unreadable" : "Ok";
            one["hasToken"] = hello.HasToken;
            one["maxMessageSize"] = hello.MaxMessageSize;
            one["nonce"] = VectorFile.Hex(hello.Nonce);
            one["contractsLater"] = hello.SendsContractsLater;
            one["contracts"] = contracts is null ? null : new JsonArray([.. Enumerable.Range(0, contracts.Count).Select(place => Describe(contracts.Read(place)))]);
            if (contracts is { Layouts: { } layouts })
                one["layouts"] = layouts.ToString();
        }

        return one;
    }

    private static JsonObject Describe(ContractDescriptor contract) => new()
    {
        ["id"] = contract.Type,
        ["type"] = contract.Name,
        ["encoding"] = contract.Encoding,
        ["version"] = contract.Version,
        ["shape"] = new JsonArray([.. contract.Shape.Select(static entry => JsonValue.Create(entry.ToString("X16", System.Globalization.CultureInfo.InvariantCulture)))]),
    };
}
