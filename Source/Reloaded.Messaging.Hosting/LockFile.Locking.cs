using System;
using System.IO;
using System.Threading;

namespace Reloaded.Messaging.Hosting;

/// <content>Whether they are locked against other processes, which is tried before it is relied on.</content>
internal static partial class LockFile
{
    // A failure to try is not remembered: a temporary folder that is full for a moment says nothing of locks.
    private static readonly Lazy<bool> s_locks = new(TryLock, LazyThreadSafetyMode.PublicationOnly);

    /// <summary>Returns whether opening a file failed because another process, or this one, holds it.</summary>
    public static bool IsHeld(IOException failure)
    {
        const int SharingViolation = unchecked((int)0x80070020);
        const int WouldBlockOnLinux = 11;
        const int WouldBlockOnMac = 35;
        return failure.HResult is SharingViolation or WouldBlockOnLinux or WouldBlockOnMac;
    }

    private static void CheckLocks()
    {
        if (!OperatingSystem.IsWindows() && !s_locks.Value)
        {
            throw new PlatformNotSupportedException(
                "This runtime does not lock files against other processes, and by such locks servers at Unix sockets and published servers show that they live. " +
                "Leave DOTNET_SYSTEM_IO_DISABLEFILELOCKING unset, use MessageEndpoint.Tcp with MessageHostOptions.Token, or a runtime of .NET 8 or later.");
        }
    }

    private static bool TryLock()
    {
        var path = Path.Combine(Path.GetTempPath(), Path.GetRandomFileName());
        using var held = new FileStream(path, FileMode.CreateNew, FileAccess.ReadWrite, FileShare.None, bufferSize: 1, FileOptions.DeleteOnClose);
        return IsLocked(path);
    }
}
