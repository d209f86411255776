using System.Buffers;
using System.Buffers.Binary;
using Google.Protobuf;
using Reloaded.Messaging.Benchmarks.Generated;

namespace Reloaded.Messaging.Benchmarks.Figures;

/// <summary>Google.Protobuf, used with spans and reused buffers. Each method returns the checksum of its counterpart in <see cref="Paths"/> or <see cref="ContractPaths"/>.</summary>
public static class ProtobufPaths
{
    /// <summary>Rents an array, serializes, and returns the array.</summary>
    public static long Pack(IMessage message, int count)
    {
        long sum = 0;
        for (var i = 0; i < count; i++)
        {
            var size = message.CalculateSize();
            var array = ArrayPool<byte>.Shared.Rent(size);
            message.WriteTo(array.AsSpan(0, size));
            sum += size > 1 ? 1 : 0;
            ArrayPool<byte>.Shared.Return(array);
        }

        return sum;
    }

    /// <summary>Serializes into one buffer, each message after its length.</summary>
    public static long Append(IMessage message, byte[] buffer, int count)
    {
        var at = 0;
        long sum = 0;
        for (var i = 0; i < count; i++)
        {
            var size = message.CalculateSize();
            BinaryPrimitives.WriteInt32LittleEndian(buffer.AsSpan(at), size);
            message.WriteTo(buffer.AsSpan(at + sizeof(int), size));
            at += sizeof(int) + size;
            sum++;
        }

        return sum;
    }

    public static long Parse(byte[] payload, int count)
    {
        long sum = 0;
        for (var i = 0; i < count; i++)
        {
            var line = ProtoText.Parser.ParseFrom(payload);
            sum += line.Channel + line.Text.Length;
        }

        return sum;
    }

    /// <summary>Serializes a configuration into one reused array. Returns the sum of the sizes.</summary>
    public static long Serialize(IMessage message, byte[] buffer, int count)
    {
        long sum = 0;
        for (var i = 0; i < count; i++)
        {
            var span = buffer.AsSpan(0, message.CalculateSize());
            message.WriteTo(span);
            sum += span.Length;
        }

        return sum;
    }

    /// <summary>Serializes a configuration into one reused array, and parses it.</summary>
    public static long RoundTrip(ProtoModConfig config, byte[] buffer, int count)
    {
        long sum = 0;
        for (var i = 0; i < count; i++)
        {
            var span = buffer.AsSpan(0, config.CalculateSize());
            config.WriteTo(span);
            var read = ProtoModConfig.Parser.ParseFrom(span);
            sum += read.ModId.Length + read.ModDescription.Length;
        }

        return sum;
    }
}
