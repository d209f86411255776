using System.Buffers;
using System.IO.Compression;
using System.Runtime.CompilerServices;
using System.Runtime.InteropServices;
using System.Text.Json;
using System.Threading.Channels;
using ModLoader;

namespace Reloaded.Messaging.Benchmarks.Figures;

/// <summary>The smallest code that does each work by hand. The ratios of the figures refer to it. Each method returns the checksum of the received messages.</summary>
public static partial class Floors
{
    /// <summary>Counts each message under its type, and does nothing else. Returns the number of messages.</summary>
    public static long Count(byte[] messages, long[] statuses)
    {
        var before = statuses[Contracts.FirstKind];
        for (var i = 0; i < messages.Length; i += Contracts.PlainSize)
            statuses[messages[i]]++;
        return statuses[Contracts.FirstKind] - before;
    }

    /// <summary>Decodes with the one-call decoder of the framework.</summary>
    public static long BrotliDecode(byte[] source, byte[] destination, int count)
    {
        long sum = 0;
        for (var i = 0; i < count; i++)
            sum += BrotliDecoder.TryDecompress(source, destination, out var written) ? written : 0;
        return sum;
    }

    /// <summary>Serializes into one reused buffer with one reused writer.</summary>
    public static long JsonSerialize(ArrayBufferWriter<byte> buffer, Utf8JsonWriter writer, ModConfig config, int count)
    {
        long sum = 0;
        for (var i = 0; i < count; i++)
        {
            buffer.ResetWrittenCount();
            writer.Reset(buffer);
            JsonSerializer.Serialize(writer, config, ModConfigContext.Default.ModConfig);
            sum += buffer.WrittenCount;
        }

        return sum;
    }

    /// <summary>Only serializes and deserializes.</summary>
    public static long JsonRoundTrip(ArrayBufferWriter<byte> buffer, Utf8JsonWriter writer, ModConfig config, int count)
    {
        long sum = 0;
        for (var i = 0; i < count; i++)
        {
            buffer.ResetWrittenCount();
            writer.Reset(buffer);
            JsonSerializer.Serialize(writer, config, ModConfigContext.Default.ModConfig);
            sum += JsonSerializer.Deserialize(buffer.WrittenSpan, ModConfigContext.Default.ModConfig)!.ModId.Length;
        }

        return sum;
    }

    /// <summary>Writes a packed message and its sender to a bounded channel, then reads and dispatches it.</summary>
    public static long Queue(Channel<(PackedMessage, int)> channel, MessageDispatcher<SumState> dispatcher, MessageWriter writer, int count)
    {
        var state = default(SumState);
        for (var i = 0; i < count; i++)
            channel.Writer.TryWrite((writer.Pack(Contracts.Int3, new Int3(i, 0, 0)), i));
        while (channel.Reader.TryRead(out var entry))
        {
            state.SetSender(entry.Item2);
            dispatcher.Dispatch(entry.Item1.Span, ref state);
            entry.Item1.Dispose();
        }

        return state.Sum;
    }

    /// <summary>One thread writes to a bounded channel; this thread reads and dispatches.</summary>
    public static long QueueBetweenThreads(Channel<(PackedMessage, int)> channel, MessageDispatcher<SumState> dispatcher, MessageWriter writer, int count)
    {
        var state = default(SumState);
        var producer = Task.Run(() =>
        {
            for (var i = 0; i < count; i++)
            {
                var message = writer.Pack(Contracts.Int3, new Int3(i, 0, 0));
                var spinner = default(SpinWait);
                while (!channel.Writer.TryWrite((message, i)))
                    spinner.SpinOnce(sleep1Threshold: -1);
            }
        });
        var waiting = default(SpinWait);
        for (var handled = 0; handled < count;)
        {
            if (!channel.Reader.TryRead(out var entry))
            {
                waiting.SpinOnce(sleep1Threshold: -1);
                continue;
            }

            state.SetSender(entry.Item2);
            dispatcher.Dispatch(entry.Item1.Span, ref state);
            entry.Item1.Dispose();
            handled++;
        }

        producer.GetAwaiter().GetResult();
        return state.Sum;
    }
}
