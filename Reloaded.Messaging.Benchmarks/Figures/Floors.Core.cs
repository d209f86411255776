using System.Buffers;
using System.Runtime.CompilerServices;
using System.Runtime.InteropServices;

namespace Reloaded.Messaging.Benchmarks.Figures;

/// <content>Packing and dispatching. The program of <c>.ci/native-aot</c> compiles this file too.</content>
public static partial class Floors
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

    /// <summary>Appends each struct to a buffer with a cursor. Each frame has its length and type, and is appended only if it fits.</summary>
    public static long Append(FrameCursor buffer, Int3[] values)
    {
        buffer.Count = 0;
        for (var i = 0; i < values.Length; i++)
        {
            if (!buffer.TryAppend(in values[i]))
                throw new InvalidOperationException("The buffer is too small for the messages of a round.");
        }

        return buffer.Bytes[2] + buffer.Bytes[(values.Length - 1) * FrameCursor.FrameSize + 2];
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
}

/// <summary>The floor of a batch: an array, and the number of its used bytes.</summary>
public sealed class FrameCursor(int capacity)
{
    public const int FrameSize = Contracts.PlainSize + 1;

    public byte[] Bytes { get; } = new byte[capacity];

    public int Count { get; set; }

    public bool TryAppend(in Int3 value)
    {
        var at = Count;
        if (Bytes.Length - at < FrameSize)
            return false;
        ref var to = ref Unsafe.Add(ref MemoryMarshal.GetArrayDataReference(Bytes), at);
        to = Contracts.PlainSize;
        Unsafe.Add(ref to, 1) = Contracts.FirstKind;
        Unsafe.WriteUnaligned(ref Unsafe.Add(ref to, 2), value);
        Count = at + FrameSize;
        return true;
    }
}
