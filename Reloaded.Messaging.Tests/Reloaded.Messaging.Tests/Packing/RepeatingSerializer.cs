using System.Runtime.InteropServices;

namespace Reloaded.Messaging.Tests.Packing;

/// <summary>Writes as many bytes as the message says, piece by piece; remembers the arrays it wrote to and may throw at the end.</summary>
internal sealed class RepeatingSerializer(byte content, bool throws = false) : IMessageSerializer<int>
{
    public HashSet<byte[]> Arrays { get; } = new(ReferenceEqualityComparer.Instance);

    public string Name => "repeating";

    public void Serialize(in int value, MessageBuffer buffer)
    {
        for (var rest = value; rest > 0; rest -= 100)
        {
            var size = Math.Min(rest, 100);
            MemoryMarshal.TryGetArray((ReadOnlyMemory<byte>)buffer.GetMemory(size), out var segment);
            Arrays.Add(segment.Array!);
            segment.Array.AsSpan(segment.Offset, size).Fill(content);
            buffer.Advance(size);
        }

        if (throws)
            throw new FormatException("This message can't be serialized.");
    }

    public bool TryDeserialize(ReadOnlySpan<byte> payload, out int value)
    {
        value = payload.Length;
        return payload.IndexOfAnyExcept(content) < 0;
    }
}
