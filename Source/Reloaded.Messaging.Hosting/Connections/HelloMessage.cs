using System.Buffers.Binary;
using System.Security.Cryptography;
using Reloaded.Messaging.Wire;

namespace Reloaded.Messaging.Hosting;

/// <summary>The first message of each side: the protocol version, the maximum message size, a nonce, and the contracts.</summary>
internal sealed class HelloMessage
{
    /// <summary>The maximum size of a hello, in bytes; sufficient for about a thousand contracts.</summary>
    public const int MaxSize = HostLimits.MaxControlSize;

    public const uint Magic = 0x334D4C52; // the bytes "RLM3" on the wire
    public const byte Version = 1;
    public const int NonceSize = 16;
    private const int StartSize = sizeof(uint) + 1 + 1; // the magic number, the version and whether there is a token

    /// <summary>The largest message that the sender accepts, in bytes.</summary>
    public uint MaxMessageSize { get; init; }

    public byte[] Nonce { get; init; } = [];

    public byte ProtocolVersion { get; private init; } = Version;

    /// <summary>Whether the sender proves that it knows the token, and requires the same proof from the remote side.</summary>
    public bool HasToken { get; init; }

    /// <summary>The contracts that the sender announces: a count, and the contracts. Not validated here, because with a token they are only read after the proof.</summary>
    public ReadOnlyMemory<byte> Contracts { get; init; }

    /// <summary>Whether the sender sends its contracts after the proof, and not in this hello.</summary>
    public bool SendsContractsLater => Contracts.Span.SequenceEqual(ContractsLater);

    /// <summary>Replaces the contracts in a hello without contracts: one contract with the id 2^32-1 and without names and fields. No host has such a contract, and hosts of an earlier version accept it.</summary>
    public static ReadOnlySpan<byte> ContractsLater => [2, 0xFF, 0xFF, 0xFF, 0xFF, 0x0F, 1, 1, 0, 0, 0, 0, 1];

    /// <summary>Creates the first hello of a host. With a token, the hello has no contracts, because they follow the proof.</summary>
    /// <param name="options">The options of the host.</param>
    /// <param name="announcement">The serialized contracts.</param>
    /// <param name="token">The token; <c>null</c> for the one of the options.</param>
    public static HelloMessage Create(MessageHostOptions options, ReadOnlyMemory<byte> announcement, ReadOnlyMemory<byte>? token = null)
    {
        var hasToken = !(token ?? options.Token).IsEmpty;
        return new HelloMessage
        {
            MaxMessageSize = (uint)options.MessageLimits.MaxMessageSize,
            Nonce = RandomNumberGenerator.GetBytes(NonceSize),
            HasToken = hasToken,
            Contracts = hasToken ? ContractsLater.ToArray() : announcement,
        };
    }

    /// <returns>The payload of the message.</returns>
    public byte[] Write()
    {
        Span<byte> start = stackalloc byte[StartSize + UVarint.MaxSize];
        BinaryPrimitives.WriteUInt32LittleEndian(start, Magic);
        start[sizeof(uint)] = Version;
        start[StartSize - 1] = HasToken ? (byte)1 : (byte)0;
        var size = StartSize + UVarint.Write(start.Slice(StartSize), MaxMessageSize);
        return [.. start.Slice(0, size), .. Nonce, .. Contracts.Span];
    }

    /// <returns>The hello; <c>null</c> if the bytes are invalid. If the version differs, only the version is read.</returns>
    /// <remarks>The contracts are a part of the payload, and not copied.</remarks>
    public static HelloMessage? TryRead(ReadOnlyMemory<byte> payload)
    {
        var reader = new PayloadReader(payload.Span);
        if (!reader.TryReadFixed(out uint magic) || magic != Magic || !reader.TryReadFixed(out byte version))
            return null;
        if (version != Version)
            return new HelloMessage { ProtocolVersion = version };

        var nonce = new byte[NonceSize];
        if (!reader.TryReadBoolean(out var hasToken) || !reader.TryReadUVarint(out var maxMessageSize) || !reader.TryReadBlock<byte>(nonce))
            return null;
        if (maxMessageSize < MessageLimits.MinLimit)
            return null; // no host can have this limit, and a fault would not fit
        var contracts = payload.Slice(StartSize + UVarint.SizeOf(maxMessageSize) + NonceSize);
        return new HelloMessage { HasToken = hasToken, MaxMessageSize = maxMessageSize, Nonce = nonce, Contracts = contracts };
    }
}
