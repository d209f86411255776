using System.Runtime.InteropServices;

namespace Reloaded.Messaging.Benchmarks;

/// <summary>The struct of 12 bytes that most figures use.</summary>
public readonly record struct Int3(int X, int Y, int Z);

/// <summary>Eight structs with the same layout and the types 3 to 10. Dispatching them needs eight handlers and eight branches.</summary>
public readonly record struct Kind0(int X, int Y, int Z);
public readonly record struct Kind1(int X, int Y, int Z);
public readonly record struct Kind2(int X, int Y, int Z);
public readonly record struct Kind3(int X, int Y, int Z);
public readonly record struct Kind4(int X, int Y, int Z);
public readonly record struct Kind5(int X, int Y, int Z);
public readonly record struct Kind6(int X, int Y, int Z);
public readonly record struct Kind7(int X, int Y, int Z);

/// <summary>The contracts of the benchmarks.</summary>
public static class Contracts
{
    public const byte FirstKind = 3;

    public static readonly MessageContract<Int3> Int3 = new(FirstKind, new BlittableSerializer<Int3>());

    /// <summary>A message on the wire: its type, then three ints.</summary>
    public const int PlainSize = 13;

    /// <summary>Fills a buffer with plain messages of one kind, or of eight kinds in a fixed random order.</summary>
    public static byte[] PlainMessages(int count, int kinds)
    {
        var random = new Random(1);
        var messages = new byte[count * PlainSize];
        for (var i = 0; i < count; i++)
        {
            var message = messages.AsSpan(i * PlainSize, PlainSize);
            message[0] = (byte)(FirstKind + random.Next(kinds));
            MemoryMarshal.Write(message.Slice(1), new Int3(i, random.Next(1000), i * 3));
        }

        return messages;
    }
}
