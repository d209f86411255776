using ModLoader;
using Reloaded.Messaging.Benchmarks.Generated;
using Reloaded.Messaging.CompilerServices;

namespace Reloaded.Messaging.Benchmarks.Figures;

/// <summary>The same work as in <see cref="ContractFloors"/>, done by the library. Each method returns the same checksum as its floor.</summary>
public static class ContractPaths
{
    /// <summary>Packs, dispatches and deserializes each message.</summary>
    public static long RoundTrip<T>(MessageWriter writer, MessageContract<T> contract, MessageDispatcher<long> dispatcher, T[] messages)
    {
        long sum = 0;
        for (var i = 0; i < messages.Length; i++)
        {
            using var packed = writer.Pack(contract, messages[i]);
            dispatcher.Dispatch(packed.Span, ref sum);
        }

        return sum;
    }

    /// <summary>Does the same, and sets the data of plugins before each message is packed, so that no converted text of an earlier message is used.</summary>
    public static long ConvertAndRoundTrip(MessageWriter writer, MessageContract<ModConfig> contract, MessageDispatcher<long> dispatcher, ModConfig[] messages)
    {
        long sum = 0;
        for (var i = 0; i < messages.Length; i++)
        {
            messages[i].PluginData = messages[i].PluginData;
            using var packed = writer.Pack(contract, messages[i]);
            dispatcher.Dispatch(packed.Span, ref sum);
        }

        return sum;
    }

    /// <summary>Packs an array, and reads it into another array.</summary>
    public static long Floats(MessageWriter writer, MessageContract<float[]> contract, float[] values, float[] result)
    {
        using var packed = writer.Pack(contract, values);
        return FloatBlock.TryRead(packed.Span.Slice(1), result) ? (long)result[0] + (long)result[^1] + 1 : 0;
    }

    /// <summary>Deserializes into rented objects, and returns the objects to the pool.</summary>
    public static long Pooled<T>(MessageContract<T> contract, byte[] payload, int count, Func<T, long> sumOf)
    {
        var serializer = (IPooledMessageSerializer<T>)contract.Serializer;
        long sum = 0;
        for (var i = 0; i < count; i++)
        {
            if (!serializer.TryDeserializePooled(payload, out var message))
                continue;
            sum += sumOf(message);
            serializer.Return(message);
        }

        return sum;
    }

    public static long SumOf(NotificationBatch batch) => batch.Items.Count + batch.Items[^1].Id;
}
