using System;
using System.Collections.Generic;
using System.Security.Cryptography;
using Reloaded.Messaging.Buffers;
using Reloaded.Messaging.Contracts;
using Reloaded.Messaging.Serialization;

namespace Reloaded.Messaging.Hosting.Handshake;

/// <summary>What each side says first: which protocol, what it accepts, a nonce, and the contracts that it knows.</summary>
internal sealed class HelloMessage
{
    /// <summary>What a stranger may send at most, in bytes: some thousand contracts.</summary>
    public const int MaxSize = 256 * 1024;

    public const uint Magic = 0x334D4C52; // "RLM3" as it is on the wire
    public const byte Version = 1;
    public const int NonceSize = 16;

    /// <summary>The largest message that the sender accepts, in bytes.</summary>
    public uint MaxMessageSize { get; init; }

    public byte[] Nonce { get; init; } = [];

    public byte ProtocolVersion { get; private init; } = Version;

    /// <summary>Whether the sender wants a proof that the other side knows the token, and gives one.</summary>
    public bool HasToken { get; init; }

    public List<KnownContract> Contracts { get; } = [];

    public static HelloMessage Create(HostOptions options, IEnumerable<MessageContract> contracts)
    {
        var hello = new HelloMessage
        {
            MaxMessageSize = (uint)options.Limits.Messages.MaxMessageSize,
            Nonce = RandomNumberGenerator.GetBytes(NonceSize),
            HasToken = !options.Token.IsEmpty,
        };
        foreach (var contract in contracts)
            hello.Contracts.Add(new KnownContract(contract.Type, contract.MessageType.FullName ?? contract.MessageType.Name, contract.SerializerName, contract.Version, contract.Shape?.Fields.ToArray() ?? []));
        return hello;
    }

    public void Write(MessageBuffer buffer)
    {
        buffer.WriteFixed(Magic);
        buffer.WriteFixed(Version);
        buffer.WriteBoolean(HasToken);
        buffer.WriteUVarint(MaxMessageSize);
        buffer.WriteBlock<byte>(Nonce);
        buffer.WriteCount(Contracts.Count);
        foreach (var contract in Contracts)
            contract.Write(buffer);
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
        var hello = new HelloMessage { HasToken = hasToken, MaxMessageSize = maxMessageSize, Nonce = nonce };
        if (!reader.TryReadCount(KnownContract.MinSize, KnownContract.Memory, out var count) || count < 0)
            return null;
        for (var i = 0; i < count; i++)
        {
            if (KnownContract.TryRead(ref reader) is not { } contract)
                return null;
            hello.Contracts.Add(contract);
        }

        return reader.IsAtEnd ? hello : null;
    }
}
