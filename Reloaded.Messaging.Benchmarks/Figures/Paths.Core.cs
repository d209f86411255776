namespace Reloaded.Messaging.Benchmarks.Figures;

/// <content>Packing and dispatching. The program of <c>.ci/native-aot</c> compiles this file too.</content>
public static partial class Paths
{
    public static long Dispatch<TSum>(byte[] messages, MessageDispatcher<TSum> dispatcher)
        where TSum : struct, ISum
    {
        var sum = default(TSum);
        for (var i = 0; i < messages.Length; i += Contracts.PlainSize)
            dispatcher.Dispatch(new ReadOnlySpan<byte>(messages, i, Contracts.PlainSize), ref sum);
        return sum.Value;
    }

    public static long Append(MessageWriter writer, MessageBatch batch, Int3[] values)
    {
        batch.Clear();
        for (var i = 0; i < values.Length; i++)
            writer.Append(batch, Contracts.Int3, values[i]);

        const int Framed = Contracts.PlainSize + 1;
        var frames = batch.Span;
        return frames[2] + frames[(values.Length - 1) * Framed + 2];
    }

    public static long Pack(MessageWriter writer, MessageContract<Int3> contract, int payloadAt, Int3[] values)
    {
        long sum = 0;
        for (var i = 0; i < values.Length; i++)
        {
            var packed = writer.Pack(contract, values[i]);
            sum += packed.Span[payloadAt];
            packed.Dispose(); // without using, because the floor has no finally either
        }

        return sum;
    }
}
