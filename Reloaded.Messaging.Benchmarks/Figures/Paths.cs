using ModLoader;

namespace Reloaded.Messaging.Benchmarks.Figures;

/// <summary>The same work as in <see cref="Floors"/>, done by the library. The contract is passed, and a message is disposed without <c>using</c> where the floor has no <c>finally</c> either. Each method returns the same checksum as its floor.</summary>
public static partial class Paths
{
    /// <summary>Returns the number of messages that were counted as unhandled.</summary>
    public static long Unhandled<TSum>(byte[] messages, MessageDispatcher<TSum> dispatcher)
        where TSum : struct, ISum
    {
        var before = dispatcher.GetCount(DispatchStatus.NoHandler);
        var sum = default(TSum);
        for (var i = 0; i < messages.Length; i += Contracts.PlainSize)
            dispatcher.Dispatch(new ReadOnlySpan<byte>(messages, i, Contracts.PlainSize), ref sum);
        return dispatcher.GetCount(DispatchStatus.NoHandler) - before;
    }

    public static long AppendAll(MessageWriter writer, MessageBatch batch, Int3[] values)
    {
        batch.Clear();
        if (writer.TryAppendAll(batch, Contracts.Int3, values) != values.Length)
            throw new InvalidOperationException("The batch is too small for the messages of a round.");

        const int Framed = Contracts.PlainSize + 1;
        var frames = batch.Span;
        return frames[2] + frames[(values.Length - 1) * Framed + 2];
    }

    /// <summary>Packs the same message repeatedly. Returns the number of messages.</summary>
    public static long PackOne<T>(MessageWriter writer, MessageContract<T> contract, T value, int count)
    {
        long sum = 0;
        for (var i = 0; i < count; i++)
        {
            var packed = writer.Pack(contract, value);
            sum += packed.Length > 1 ? 1 : 0;
            packed.Dispose();
        }

        return sum;
    }

    /// <summary>Appends the same message repeatedly. Returns the number of messages.</summary>
    public static long AppendText<T>(MessageWriter writer, MessageBatch batch, MessageContract<T> contract, T value, int count)
    {
        batch.Clear();
        for (var i = 0; i < count; i++)
            writer.Append(batch, contract, value);
        return batch.Count;
    }

    /// <summary>Dispatches the same message repeatedly.</summary>
    public static long DispatchText(byte[] message, MessageDispatcher<long> dispatcher, int count)
    {
        long sum = 0;
        for (var i = 0; i < count; i++)
            dispatcher.Dispatch(message, ref sum);
        return sum;
    }

    public static long JsonPack(MessageWriter writer, MessageContract<ModConfig> contract, ModConfig config, int count)
    {
        long sum = 0;
        for (var i = 0; i < count; i++)
        {
            using var packed = writer.Pack(contract, config);
            sum += packed.Length - 1; // the size of the payload, without the header
        }

        return sum;
    }

    public static long JsonRoundTrip(MessageWriter writer, MessageContract<ModConfig> contract, MessageDispatcher<long> dispatcher, ModConfig config, int count)
    {
        long sum = 0;
        for (var i = 0; i < count; i++)
        {
            using var packed = writer.Pack(contract, config);
            dispatcher.Dispatch(packed.Span, ref sum);
        }

        return sum;
    }

    public static long Compress(IMessageCompressor compressor, byte[] source, byte[] destination, int count)
    {
        long sum = 0;
        for (var i = 0; i < count; i++)
        {
            compressor.TryCompress(source, destination, out var written);
            sum += written;
        }

        return sum;
    }

    public static long Decompress(IMessageCompressor compressor, byte[] source, byte[] destination, int count)
    {
        long sum = 0;
        for (var i = 0; i < count; i++)
            sum += compressor.TryDecompress(source, destination) ? destination.Length : 0;
        return sum;
    }

    public static long Queue(MessageQueue<int> queue, MessageDispatcher<SumState> dispatcher, MessageWriter writer, int count)
    {
        var state = default(SumState);
        for (var i = 0; i < count; i++)
            queue.Enqueue(writer.Pack(Contracts.Int3, new Int3(i, 0, 0)), i);
        queue.Pump(dispatcher, ref state, PumpBudget.All);
        return state.Sum;
    }

    /// <summary>One thread packs and enqueues; this thread pumps.</summary>
    public static long QueueBetweenThreads(MessageQueue<int> queue, MessageDispatcher<SumState> dispatcher, MessageWriter writer, int count)
    {
        var state = default(SumState);
        var producer = Task.Run(() =>
        {
            for (var i = 0; i < count; i++)
            {
                var message = writer.Pack(Contracts.Int3, new Int3(i, 0, 0));
                var spinner = default(SpinWait);
                while (queue.Enqueue(message, i) == EnqueueStatus.Full)
                    spinner.SpinOnce(sleep1Threshold: -1);
            }
        });
        var waiting = default(SpinWait);
        for (var handled = 0; handled < count;)
        {
            var pumped = queue.Pump(dispatcher, ref state, PumpBudget.All).Pumped;
            handled += pumped;
            if (pumped == 0)
                waiting.SpinOnce(sleep1Threshold: -1);
        }

        producer.GetAwaiter().GetResult();
        return state.Sum;
    }
}
