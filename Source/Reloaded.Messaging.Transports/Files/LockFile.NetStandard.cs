using System;
using System.IO;

namespace Reloaded.Messaging;

/// <summary>Opens files that a process holds while it runs. Other users can neither read nor lock them.</summary>
/// <remarks>
/// This target cannot create a file with a mode, so a system call creates the file, and .NET opens it afterwards. Some runtimes of this target do not
/// lock files against other processes. A running server would then be considered dead, so opening throws on these runtimes.
/// </remarks>
internal static partial class LockFile
{
    private const UnixFileMode OwnerOnly = UnixFileMode.UserRead | UnixFileMode.UserWrite;

    public static FileStream Open(string path, FileMode mode, FileShare share)
    {
        if (OperatingSystem.IsWindows())
            return new FileStream(path, mode, FileAccess.ReadWrite, share);

        LibC.Create(path, OwnerOnly, noneMayBe: mode == FileMode.CreateNew);
        return Checked(new FileStream(path, FileMode.Open, FileAccess.ReadWrite, share), isNew: mode == FileMode.CreateNew);
    }

    public static FileStream OpenAlone(string path, FileOptions options)
    {
        return Checked(new FileStream(path, FileMode.Open, FileAccess.ReadWrite, FileShare.None, bufferSize: 1, options), isNew: false);
    }

    private static bool IsLocked(string path) => LibC.IsLocked(path);
}
