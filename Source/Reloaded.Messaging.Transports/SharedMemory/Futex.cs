using System;
using System.Runtime.InteropServices;

namespace Reloaded.Messaging;

/// <summary>Waits at a word of shared memory, by Linux.</summary>
/// <remarks>
/// The library of C has no function for it: its <c>syscall</c> is called. Its arguments after the first are variadic, which makes no
/// difference to the caller on x86, x64, arm and arm64 under Linux. On other processors <see cref="IsSupported"/> is <c>false</c>.
/// </remarks>
internal static unsafe class Futex
{
    private const int WaitOperation = 0;
    private const int WakeOperation = 1;

    // The number of the call: linux/arch/x86/entry/syscalls/syscall_64.tbl and syscall_32.tbl, include/uapi/asm-generic/unistd.h, arch/arm/tools/syscall.tbl.
    private static readonly nint s_number = RuntimeInformation.ProcessArchitecture switch
    {
        Architecture.X64 => 202,
        Architecture.Arm64 => 98,
        Architecture.X86 => 240,
        Architecture.Arm => 240,
        _ => 0,
    };

    /// <summary>Whether this system and processor have it.</summary>
    public static bool IsSupported { get; } = RuntimeInformation.IsOSPlatform(OSPlatform.Linux) && s_number != 0;

    /// <summary>Sleeps if the word has the value. Returns when it is woken, when the word has another value, and at times without a reason.</summary>
    public static void Wait(int* word, int value) => _ = FutexCall.Invoke(s_number, word, WaitOperation, value, null, null, 0);

    /// <summary>Wakes the thread that sleeps at the word.</summary>
    public static void Wake(int* word) => _ = FutexCall.Invoke(s_number, word, WakeOperation, 1, null, null, 0);
}
