using System;

namespace Reloaded.Messaging.Benchmarks.Figures;

/// <summary>Writes an array of floats as generated serializers do; it is read into a span of the reader's own.</summary>
public sealed class FloatBlock : IMessageSerializer<float[]>
{
    public string Name => "binary";

    public void Serialize(in float[] value, MessageBuffer buffer)
    {
        buffer.WriteCount(value.Length);
        buffer.WriteBlock<float>(value);
    }

    public bool TryDeserialize(ReadOnlySpan<byte> payload, out float[] value) => throw new NotSupportedException("Read into a span, by TryRead.");

    public static bool TryRead(ReadOnlySpan<byte> payload, Span<float> destination)
    {
        var reader = new PayloadReader(payload);
        return reader.TryReadCount(sizeof(float), sizeof(float), out var count) && count == destination.Length && reader.TryReadBlock(destination);
    }
}
