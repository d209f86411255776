using System;
using System.Buffers;
using System.IO.Compression;
using System.Runtime.CompilerServices;
using System.Runtime.InteropServices;
using System.Text.Json;
using System.Threading;
using System.Threading.Channels;
using System.Threading.Tasks;
using ModLoader;

namespace Reloaded.Messaging.Benchmarks.Figures;

/// <summary>The smallest code that does each work by hand. The ratios of the figures refer to it. Each method returns the checksum of the received messages.</summary>
public static class Floors
{
    public delegate void Handler<TSum>(in Int3 message, ref TSum state);

    /// <summary>Reads one byte and the struct, and calls through an array of delegates.</summary>
    public static long Dispatch<TSum>(byte[] messages, Handler<TSum>[] handlers)
        where TSum : struct, ISum
    {
        var sum = default(TSum);
        for (var i = 0; i < messages.Length; i += Contracts.PlainSize)
        {
            var message = new ReadOnlySpan<byte>(messages, i, Contracts.PlainSize);
            var value = MemoryMarshal.Read<Int3>(message.Slice(1));
            handlers[message[0]](in value, ref sum);
        }

        return sum.Value;
    }

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

    /// <summary>Stores the type and the struct, without gaps.</summary>
    public static long Append(byte[] buffer, Int3[] values)
    {
        ref var to = ref MemoryMarshal.GetArrayDataReference(buffer);
        for (var i = 0; i < values.Length; i++)
        {
            to = Contracts.FirstKind;
            Unsafe.WriteUnaligned(ref Unsafe.Add(ref to, 1), values[i]);
            to = ref Unsafe.Add(ref to, Contracts.PlainSize);
        }

        return buffer[1] + buffer[(values.Length - 1) * Contracts.PlainSize + 1];
    }

    /// <summary>Rents an array, stores the type and the struct, and returns the array.</summary>
    public static long Pack(Int3[] values)
    {
        long sum = 0;
        for (var i = 0; i < values.Length; i++)
        {
            var array = ArrayPool<byte>.Shared.Rent(Contracts.PlainSize);
            array[0] = Contracts.FirstKind;
            MemoryMarshal.Write(array.AsSpan(1), values[i]);
            sum += array[1];
            ArrayPool<byte>.Shared.Return(array);
        }

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
