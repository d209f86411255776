using System.Runtime.CompilerServices;
using System.Runtime.InteropServices;

#pragma warning disable CS8500 // the address of a type that may have references: callers pass only types without references
namespace Reloaded.Messaging.Polyfills;

/// <summary>Replaces the type of System.Runtime.CompilerServices.Unsafe, with the members that this library uses. A copy of that package beside a plugin may conflict with the copy of another plugin.</summary>
internal static unsafe partial class Unsafe
{
    /// <summary>Whether the processor reads and writes numbers at any address. An ARM32 processor does not for each number.</summary>
    private static readonly bool s_mayMisalign = RuntimeInformation.ProcessArchitecture != Architecture.Arm;

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public static int SizeOf<T>() => sizeof(T);

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public static ref T Add<T>(ref T start, int offset) => ref MemoryMarshal.CreateSpan(ref start, offset + 1)[offset];

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public static ref T Add<T>(ref T start, nint offset) => ref Add(ref start, (int)offset);

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public static void WriteUnaligned<T>(ref byte target, T value)
    {
        fixed (byte* at = &target)
            WriteUnaligned(at, value);
    }

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public static void WriteUnaligned<T>(void* target, T value)
    {
        if (s_mayMisalign)
            *(T*)target = value;
        else
            Buffer.MemoryCopy(&value, target, sizeof(T), sizeof(T));
    }

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public static T ReadUnaligned<T>(ref readonly byte source)
    {
        fixed (byte* at = &source)
            return ReadUnaligned<T>(at);
    }

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public static T ReadUnaligned<T>(void* source)
    {
        if (s_mayMisalign)
            return *(T*)source;
        T value;
        Buffer.MemoryCopy(source, &value, sizeof(T), sizeof(T));
        return value;
    }
}
