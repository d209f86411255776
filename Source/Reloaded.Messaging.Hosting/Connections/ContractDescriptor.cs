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
/// <param name="Layouts">The layouts in the announcement; <c>null</c> if it contains none.</param>
/// <param name="Line">The number of the line of this contract in <paramref name="Layouts"/>.</param>
internal sealed record ContractDescriptor(uint Type, string Name, string Serializer, int Version, ulong[] Shape, ContractLayouts? Layouts = null, int Line = 0)
{
    private static readonly MessageContract<List<ContractDescriptor>> s_list = new(0, new ListSerializer());

    /// <summary>The maximum number of contracts in a hello.</summary>
    public const int MaxCount = 4096;

    private const int MaxLayouts = HelloMessage.MaxSize / 8 * 7; // the rest is left for later announcements, because hosts of an earlier version store at most one hello
    private const int MinSize = 8;
    private const int Memory = 64;
    private const string LayoutsSerializer = "layouts";

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

    /// <summary>Returns the serialized announcement of contracts with their layouts.</summary>
    public static byte[] WriteAll(IReadOnlyList<MessageContract> contracts) => WriteAll(contracts, LayoutLines.Of(contracts));

    /// <summary>Returns the serialized announcement: a count and the contracts.</summary>
    /// <param name="contracts">The contracts.</param>
    /// <param name="layouts">The layouts of the contracts, which follow as a last entry; <c>null</c> for none. Lines that do not fit are left out, and such messages are not compared. Hosts of an earlier version keep that entry as a contract that they do not know.</param>
    public static byte[] WriteAll(IReadOnlyList<MessageContract> contracts, ContractLayouts? layouts)
    {
        var known = new List<ContractDescriptor>(contracts.Count + 1);
        foreach (var contract in contracts)
            known.Add(Of(contract));
        var announcement = Pack(known);
        if (layouts is null || known.Count == MaxCount)
            return announcement;
        var lines = LayoutLines.Cut(layouts.ToString(), MaxLayouts - announcement.Length);
        if (lines.Length == 0)
            return announcement;
        known.Add(new ContractDescriptor(LibraryTypes.ContractLayouts, lines, LayoutsSerializer, 1, []));
        return Pack(known);
    }

    private static byte[] Pack(List<ContractDescriptor> known)
    {
        using var packed = ControlMessage.Writer.Pack(s_list, known);
        return packed.Span.Slice(1).ToArray(); // without the header, which is not sent
    }

    /// <returns>The contracts without the entry of the layouts, or <see langword="null"/> if the bytes are malformed, contain an id twice, or contain more than <see cref="MaxCount"/> contracts.</returns>
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

        return !reader.IsAtEnd ? null
            : contracts is [.., { Type: LibraryTypes.ContractLayouts } last] ? WithLayouts(contracts, new ContractLayouts(last.Name))
            : contracts;
    }

    private static List<ContractDescriptor> WithLayouts(List<ContractDescriptor> contracts, ContractLayouts layouts)
    {
        contracts.RemoveAt(contracts.Count - 1);
        for (var i = 0; i < contracts.Count; i++)
            contracts[i] = contracts[i] with { Layouts = layouts, Line = i };
        return contracts;
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

    /// <summary>Returns the first difference between this contract of the remote side and a contract of this side, as each side sees it; <c>null</c> if they are compatible.</summary>
    /// <param name="ours">The contract of this side.</param>
    /// <param name="ourLayouts">Its layouts, in which its line is the first.</param>
    public ContractDifference? FindDifference(MessageContract ours, ContractLayouts ourLayouts) =>
        FindDifference(ours, Layouts is null ? null : new LayoutComparison(ourLayouts, Layouts), 0);

    /// <summary>Returns the first difference between this contract of the remote side and a contract of this side, as each side sees it; <c>null</c> if they are compatible.</summary>
    /// <param name="ours">The contract of this side.</param>
    /// <param name="layouts">Compares the layouts of this side with <see cref="Layouts"/>.</param>
    /// <param name="ourLine">The number of the line of <paramref name="ours"/> in the layouts of this side.</param>
    public ContractDifference? FindDifference(MessageContract ours, LayoutComparison? layouts, int ourLine)
    {
        if (Serializer != ours.SerializerName)
            return Differ(null, $"the serializer is {ours.SerializerName} here and {RemoteText.Clean(Serializer)} there", $"the serializer is {RemoteText.Clean(Serializer)} here and {ours.SerializerName} there");
        if (Version != ours.Version)
            return Differ(null, $"the version is {ours.Version} here and {Version} there", $"the version is {Version} here and {ours.Version} there");
        if (layouts?.Find(ourLine, Line) is { } difference)
            return Differ(difference.Path, difference.Describe(isOurView: true), difference.Describe(isOurView: false));
        if (ours.Shape is not { } shape || shape.FindDifference(Shape) is not (>= 0 and var field))
            return null;
        var text = $"the first difference is the field {shape.GetName(field)}";
        return Differ(shape.GetName(field), text, text);

        ContractDifference Differ(string? path, string ourText, string theirText) => new(
            new ContractMismatch(Type, NameOf(ours), RemoteText.Clean(Name), ourText) { Path = path },
            new ContractMismatch(Type, RemoteText.Clean(Name), NameOf(ours), theirText) { Path = path });
    }

    private static string NameOf(MessageContract contract) => contract.MessageType.FullName ?? contract.MessageType.Name;

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

/// <summary>A difference between two contracts.</summary>
/// <param name="OurView">The difference as this side sees it: "here" is this side.</param>
/// <param name="TheirView">The difference as the remote side sees it.</param>
internal sealed record ContractDifference(ContractMismatch OurView, ContractMismatch TheirView);

/// <summary>The contracts of this side as a handshake announces and compares them.</summary>
/// <param name="Contracts">The contracts.</param>
/// <param name="Bytes">The serialized announcement.</param>
/// <param name="Layouts">The layouts, whose first lines belong to <paramref name="Contracts"/>.</param>
internal sealed record ContractAnnouncement(IReadOnlyList<MessageContract> Contracts, byte[] Bytes, ContractLayouts Layouts)
{
    /// <summary>Writes the announcement of contracts.</summary>
    public static ContractAnnouncement Of(IReadOnlyList<MessageContract> contracts)
    {
        var layouts = LayoutLines.Of(contracts);
        return new ContractAnnouncement(contracts, ContractDescriptor.WriteAll(contracts, layouts), layouts);
    }
}
