using Google.Protobuf;
using Reloaded.Messaging.Benchmarks.Generated;

namespace Reloaded.Messaging.Benchmarks.Figures;

/// <summary>The floors of the figures of generated contracts. Each method returns the checksum of the received messages.</summary>
public static class ContractFloors
{
    /// <summary>Copies the bytes into an array and back.</summary>
    public static unsafe long CopyTwice(float[] values, byte[] between, float[] result)
    {
        fixed (float* source = values, target = result)
        fixed (byte* middle = between)
        {
            Buffer.MemoryCopy(source, middle, between.Length, values.Length * sizeof(float));
            Buffer.MemoryCopy(middle, target, result.Length * sizeof(float), values.Length * sizeof(float));
        }

        return (long)result[0] + (long)result[^1] + 1;
    }

    /// <summary>Serializes into one reused array, and parses.</summary>
    public static long Protobuf(ProtoStatus status, byte[] buffer, int count)
    {
        long sum = 0;
        for (var i = 0; i < count; i++)
        {
            var span = buffer.AsSpan(0, status.CalculateSize());
            status.WriteTo(span);
            var read = ProtoStatus.Parser.ParseFrom(span);
            sum += read.Id + read.Name.Length + read.Path.Length;
        }

        return sum;
    }

    /// <summary>Deserializes into new objects.</summary>
    public static long Unpooled<T>(MessageContract<T> contract, byte[] payload, int count, Func<T, long> sumOf)
    {
        long sum = 0;
        for (var i = 0; i < count; i++)
            sum += contract.Serializer.TryDeserialize(payload, out var message) ? sumOf(message) : 0;
        return sum;
    }
}
