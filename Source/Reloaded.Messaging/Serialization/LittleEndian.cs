using System;
using System.Runtime.CompilerServices;
using System.Runtime.InteropServices;

namespace Reloaded.Messaging;

/// <summary>Converts between the memory of a value and little-endian bytes. On little-endian machines, both are the same.</summary>
internal static class LittleEndian
{
    /// <summary>Reverses the bytes of consecutive numbers, each in place.</summary>
    /// <exception cref="NotSupportedException">Thrown when <typeparamref name="T"/> is a struct, whose fields would have to be reversed one by one.</exception>
    [MethodImpl(MethodImplOptions.NoInlining)]
    public static void Reverse<T>(Span<byte> numbers)
        where T : unmanaged
    {
        if (!typeof(T).IsPrimitive && !typeof(T).IsEnum)
            throw new NotSupportedException($"{typeof(T)} is sent as its memory, which is little-endian on the wire and big-endian on this machine. Use a generated or JSON serializer.");
        for (var i = 0; i < numbers.Length; i += Unsafe.SizeOf<T>())
            numbers.Slice(i, Unsafe.SizeOf<T>()).Reverse();
    }
}
