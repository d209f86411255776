using System.Threading;

namespace Reloaded.Messaging.Polyfills;

/// <summary>Threads that the library starts on this target.</summary>
internal static class LibraryThread
{
    private const int StackSize = 256 * 1024;

    /// <summary>Starts a background thread, without the AsyncLocal values of the caller.</summary>
    public static void Start(string name, ThreadStart body) =>
        ThreadExtensions.UnsafeStart(new Thread(body, StackSize) { IsBackground = true, Name = name }); // as an extension, the method is ambiguous where the tests for Mono compile this file
}
