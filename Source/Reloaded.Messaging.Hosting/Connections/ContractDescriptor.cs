using System;
using System.Collections.Generic;
using System.Diagnostics.CodeAnalysis;

namespace Reloaded.Messaging.Hosting;

/// <summary>A contract in the form in which it is announced to the remote side.</summary>
/// <param name="Type">The id.</param>
/// <param name="Name">The name of the .NET type on the announcing side. Used only in messages and logs.</param>
/// <param name="Serializer">The name of the serializer.</param>
/// <param name="Version">The declared version.</param>
/// <param name="Shape">The fields of the generated shape; empty for a contract without a shape.</param>
internal sealed record ContractDescriptor(uint Type, string Name, string Serializer, int Version, ulong[] Shape)
{
    private static readonly MessageContract<List<ContractDescriptor>> s_list = new(0, new ListSerializer());

    /// <summary>The maximum number of contracts in a hello.</summary>
    public const int MaxCount = 4096;

    private const int MinSize = 8;
    private const int Memory = 64;

    private void Write(MessageBuffer buffer)
    {
        buffer.WriteUVarint(Type);
        buffer.WriteString(Name);
        buffer.WriteString(Serializer);
        buffer.WriteFixed(Version);
        buffer.WriteCount(Shape.Length);
        buffer.WriteBlock<ulong>(Shape);
    }

    /// <summary>Creates the descriptor of a contract of this side.</summary>
    public static ContractDescriptor Of(MessageContract contract) => new(
        contract.Type,
        NameOf(contract),
        contract.SerializerName,
        contract.Version,
        contract.Shape?.Fields.ToArray() ?? []);

    /// <summary>Returns the serialized announcement: a count and the contracts.</summary>
    public static byte[] WriteAll(IEnumerable<MessageContract> contracts)
    {
        var known = new List<ContractDescriptor>();
        foreach (var contract in contracts)
            known.Add(Of(contract));
        using var packed = ControlMessage.Writer.Pack(s_list, known);
        return packed.Span.Slice(1).ToArray(); // without the header, which is not sent
    }

    /// <returns>The contracts, or <see langword="null"/> if the bytes are malformed, contain an id twice, or contain more than <see cref="MaxCount"/> contracts.</returns>
    public static List<ContractDescriptor>? TryReadAll(ReadOnlySpan<byte> payload)
    {
        var reader = new PayloadReader(payload);
        if (!reader.TryReadCount(MinSize, Memory, out var count) || count is < 0 or > MaxCount)
            return null;
        var contracts = new List<ContractDescriptor>(count);
        var ids = new HashSet<uint>();
        for (var i = 0; i < count; i++)
        {
            if (TryRead(ref reader) is not { } contract || !ids.Add(contract.Type))
                return null;
            contracts.Add(contract);
        }

        return reader.IsAtEnd ? contracts : null;
    }

    private static ContractDescriptor? TryRead(ref PayloadReader reader)
    {
        if (!reader.TryReadUVarint(out var type) ||
            !reader.TryReadRequiredString(out var name) ||
            !reader.TryReadRequiredString(out var serializer) ||
            !reader.TryReadFixed(out int version) ||
            !reader.TryReadCount(sizeof(ulong), sizeof(ulong), out var count) ||
            count < 0)
        {
            return null;
        }

        var shape = new ulong[count];
        return reader.TryReadBlock<ulong>(shape) ? new ContractDescriptor(type, name, serializer, version, shape) : null;
    }

    /// <returns>The first difference between this contract of the remote side and a contract of this side; <c>null</c> if they are compatible.</returns>
    public ContractMismatch? FindMismatch(MessageContract ours) => FindDifference(ours, "this side", "the remote side") is { } difference
        ? new ContractMismatch(Type, NameOf(ours), RemoteText.Clean(Name), difference)
        : null;

    /// <returns>The first difference as the remote side sees it: its own side is "this side".</returns>
    public ContractMismatch? FindMismatchOfRemote(MessageContract ours) => FindDifference(ours, "the remote side", "this side") is { } difference
        ? new ContractMismatch(Type, RemoteText.Clean(Name), NameOf(ours), difference)
        : null;

    private static string NameOf(MessageContract contract) => contract.MessageType.FullName ?? contract.MessageType.Name;

    /// <param name="ours">The contract of this side.</param>
    /// <param name="here">The name of this side in the text.</param>
    /// <param name="there">The name of the remote side in the text.</param>
    private string? FindDifference(MessageContract ours, string here, string there)
    {
        if (Serializer != ours.SerializerName)
            return $"the serializer is {ours.SerializerName} on {here} and {RemoteText.Clean(Serializer)} on {there}";
        if (Version != ours.Version)
            return $"the version is {ours.Version} on {here} and {Version} on {there}";
        return ours.Shape is { } shape && shape.FindDifference(Shape) is >= 0 and var field ? $"the first difference is the field {shape.GetName(field)}" : null;
    }

    private sealed class ListSerializer : IMessageSerializer<List<ContractDescriptor>>
    {
        public string Name => "contracts";

        public void Serialize(in List<ContractDescriptor> value, MessageBuffer buffer)
        {
            buffer.WriteCount(value.Count);
            foreach (var contract in value)
                contract.Write(buffer);
        }

        public bool TryDeserialize(ReadOnlySpan<byte> payload, [MaybeNullWhen(false)] out List<ContractDescriptor> value)
        {
            value = TryReadAll(payload);
            return value is not null;
        }
    }
}
