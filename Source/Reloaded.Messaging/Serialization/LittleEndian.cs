using System;
using System.Runtime.CompilerServices;
using System.Runtime.InteropServices;

namespace Reloaded.Messaging;

/// <summary>Between a value's own bytes and little-endian ones. On little-endian machines, all that most people have, these are the same.</summary>
internal static class LittleEndian
{
    /// <summary>Turns numbers stored one after the other around, each in its place.</summary>
    /// <exception cref="NotSupportedException"><typeparamref name="T"/> is a struct, whose fields would have to be turned one by one.</exception>
    [MethodImpl(MethodImplOptions.NoInlining)]
    public static void Reverse<T>(Span<byte> numbers)
        where T : unmanaged
    {
        if (!typeof(T).IsPrimitive && !typeof(T).IsEnum)
            throw new NotSupportedException($"{typeof(T)} is sent as its own bytes, which are little-endian on the wire and not on this machine.");
        for (var i = 0; i < numbers.Length; i += Unsafe.SizeOf<T>())
            numbers.Slice(i, Unsafe.SizeOf<T>()).Reverse();
    }
}
