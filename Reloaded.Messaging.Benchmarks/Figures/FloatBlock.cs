namespace Reloaded.Messaging.Benchmarks.Figures;

/// <summary>Writes an array of floats as generated serializers do. The figure reads it into a span of the reader.</summary>
public sealed class FloatBlock : IMessageSerializer<float[]>
{
    public string Name => "binary";

    public void Serialize(in float[] value, MessageBuffer buffer)
    {
        buffer.WriteCount(value.Length);
        buffer.WriteBlock<float>(value);
    }

    public bool TryDeserialize(ReadOnlySpan<byte> payload, out float[] value) => throw new NotSupportedException("The serializer of this figure has no such method. Use TryRead, which reads into a span.");

    public static bool TryRead(ReadOnlySpan<byte> payload, Span<float> destination)
    {
        var reader = new PayloadReader(payload);
        return reader.TryReadCount(sizeof(float), sizeof(float), out var count) && count == destination.Length && reader.TryReadBlock(destination);
    }
}
