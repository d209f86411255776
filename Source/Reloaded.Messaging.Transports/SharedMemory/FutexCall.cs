using System.Runtime.InteropServices;

namespace Reloaded.Messaging;

/// <summary>The system call, by code that is generated at compile time.</summary>
internal static unsafe partial class FutexCall
{
    [LibraryImport("libc", EntryPoint = "syscall"), DefaultDllImportSearchPaths(DllImportSearchPath.SafeDirectories)]
    public static partial nint Invoke(nint number, int* word, nint operation, nint value, void* timeout, int* secondWord, nint value3);
}
