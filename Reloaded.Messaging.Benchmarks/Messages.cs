using System;
using System.Runtime.InteropServices;

namespace Reloaded.Messaging.Benchmarks;

/// <summary>The 12-byte struct of most rows.</summary>
public readonly record struct Int3(int X, int Y, int Z);

/// <summary>Eight structs of the same layout and of types 3 to 10: to dispatch them is eight handlers, eight branches.</summary>
public readonly record struct Kind0(int X, int Y, int Z);
public readonly record struct Kind1(int X, int Y, int Z);
public readonly record struct Kind2(int X, int Y, int Z);
public readonly record struct Kind3(int X, int Y, int Z);
public readonly record struct Kind4(int X, int Y, int Z);
public readonly record struct Kind5(int X, int Y, int Z);
public readonly record struct Kind6(int X, int Y, int Z);
public readonly record struct Kind7(int X, int Y, int Z);

/// <summary>The benchmarks' contracts.</summary>
public static class Contracts
{
    public const byte FirstKind = 3;

    public static readonly MessageContract<Int3> Int3 = new(FirstKind, new BlittableSerializer<Int3>());

    /// <summary>Type, then three ints: what a message of any of the kinds is on the wire.</summary>
    public const int PlainSize = 13;

    /// <summary>Fills a buffer with plain messages, all of one kind or of eight in a fixed random order.</summary>
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
