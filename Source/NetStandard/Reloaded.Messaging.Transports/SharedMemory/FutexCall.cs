using System.Runtime.InteropServices;

namespace Reloaded.Messaging;

/// <summary>The system call, by code that the runtime generates: this target has no other way.</summary>
internal static unsafe class FutexCall
{
    [DllImport("libc", EntryPoint = "syscall"), DefaultDllImportSearchPaths(DllImportSearchPath.SafeDirectories)]
    public static extern nint Invoke(nint number, int* word, nint operation, nint value, void* timeout, int* secondWord, nint value3);
}
