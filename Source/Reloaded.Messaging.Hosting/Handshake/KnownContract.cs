using Reloaded.Messaging.Buffers;
using Reloaded.Messaging.Contracts;
using Reloaded.Messaging.Serialization;

namespace Reloaded.Messaging.Hosting.Handshake;

/// <summary>A contract as the other side is told of it.</summary>
/// <param name="Type">The id.</param>
/// <param name="Name">The .NET type's name there: for people alone.</param>
/// <param name="Serializer">The serializer's name.</param>
/// <param name="Version">The declared version.</param>
/// <param name="Shape">The generated shape's fields; none for a contract by hand.</param>
internal sealed record KnownContract(uint Type, string Name, string Serializer, int Version, ulong[] Shape)
{
    public const int MinSize = 8;
    public const int Memory = 64;

    public void Write(MessageBuffer buffer)
    {
        buffer.WriteUVarint(Type);
        buffer.WriteString(Name);
        buffer.WriteString(Serializer);
        buffer.WriteFixed(Version);
        buffer.WriteCount(Shape.Length);
        buffer.WriteBlock<ulong>(Shape);
    }

    public static KnownContract? TryRead(ref PayloadReader reader)
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
        return reader.TryReadBlock<ulong>(shape) ? new KnownContract(type, name, serializer, version, shape) : null;
    }

    /// <returns>What differs between this, theirs, and ours; null if each can read the other.</returns>
    public ContractMismatch? FindMismatch(MessageContract ours)
    {
        string? difference = null;
        if (Serializer != ours.SerializerName)
            difference = $"it is serialized as {ours.SerializerName} here and as {Serializer} there";
        else if (Version != ours.Version)
            difference = $"its version is {ours.Version} here and {Version} there";
        else if (ours.Shape is { } shape && shape.FindDifference(Shape) is >= 0 and var field)
            difference = $"the field {shape.GetName(field)} is the first that differs";
        return difference is null ? null : new ContractMismatch(Type, ours.MessageType.FullName ?? ours.MessageType.Name, Name, difference);
    }
}
