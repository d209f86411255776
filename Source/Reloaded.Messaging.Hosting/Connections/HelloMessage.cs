using System;
using System.Collections.Generic;
using System.Security.Cryptography;
using Reloaded.Messaging.Wire;

namespace Reloaded.Messaging.Hosting;

/// <summary>What each side says first: which protocol, what it accepts, a nonce, and the contracts that it knows.</summary>
internal sealed class HelloMessage
{
    /// <summary>What a stranger may send at most, in bytes: some thousand contracts.</summary>
    public const int MaxSize = HostLimits.MaxControlSize;

    public const uint Magic = 0x334D4C52; // "RLM3" as it is on the wire
    public const byte Version = 1;
    public const int NonceSize = 16;

    /// <summary>The largest message that the sender accepts, in bytes.</summary>
    public uint MaxMessageSize { get; init; }

    public byte[] Nonce { get; init; } = [];

    public byte ProtocolVersion { get; private init; } = Version;

    /// <summary>Whether the sender wants a proof that the other side knows the token, and gives one.</summary>
    public bool HasToken { get; init; }

    /// <summary>The contracts that the sender handles: a count, and each. Not checked here: with a token they are of interest only after the proof.</summary>
    public ReadOnlyMemory<byte> Contracts { get; init; }

    /// <summary>Whether the sender sends its contracts after the proof, and not in this hello.</summary>
    public bool SendsContractsLater => Contracts.Span.SequenceEqual(ContractsLater);

    /// <summary>Stands where the contracts would be: one contract of id 2^32-1 without names and fields. No host has such a contract, and hosts of an earlier version accept it.</summary>
    public static ReadOnlySpan<byte> ContractsLater => [2, 0xFF, 0xFF, 0xFF, 0xFF, 0x0F, 1, 1, 0, 0, 0, 0, 1];

    /// <summary>Creates the first hello of a host. With a token it has no contracts: they follow the proof.</summary>
    public static HelloMessage Create(MessageHostOptions options, IEnumerable<MessageContract> contracts, ReadOnlyMemory<byte>? token = null)
    {
        var hasToken = !(token ?? options.Token).IsEmpty;
        return new HelloMessage
        {
            MaxMessageSize = (uint)options.MessageLimits.MaxMessageSize,
            Nonce = RandomNumberGenerator.GetBytes(NonceSize),
            HasToken = hasToken,
            Contracts = hasToken ? ContractsLater.ToArray() : ContractDescriptor.WriteAll(contracts),
        };
    }

    public void Write(MessageBuffer buffer)
    {
        buffer.WriteFixed(Magic);
        buffer.WriteFixed(Version);
        buffer.WriteBoolean(HasToken);
        buffer.WriteUVarint(MaxMessageSize);
        buffer.WriteBlock<byte>(Nonce);
        buffer.Write(Contracts.Span);
    }

    /// <returns>Null for bytes that are none. Of another version only that is read.</returns>
    public static HelloMessage? TryRead(ReadOnlySpan<byte> payload)
    {
        var reader = new PayloadReader(payload);
        if (!reader.TryReadFixed(out uint magic) || magic != Magic || !reader.TryReadFixed(out byte version))
            return null;
        if (version != Version)
            return new HelloMessage { ProtocolVersion = version };

        var nonce = new byte[NonceSize];
        if (!reader.TryReadBoolean(out var hasToken) || !reader.TryReadUVarint(out var maxMessageSize) || !reader.TryReadBlock<byte>(nonce))
            return null;
        if (maxMessageSize < MessageLimits.MinLimit)
            return null; // no host can be made with that, and no fault would fit
        var contracts = payload.Slice(sizeof(uint) + sizeof(byte) + sizeof(bool) + UVarint.SizeOf(maxMessageSize) + NonceSize);
        return new HelloMessage { HasToken = hasToken, MaxMessageSize = maxMessageSize, Nonce = nonce, Contracts = contracts.ToArray() };
    }
}
