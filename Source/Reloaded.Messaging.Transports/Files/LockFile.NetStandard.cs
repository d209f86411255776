using System;
using System.IO;

namespace Reloaded.Messaging;

/// <summary>Files that are held open to say that somebody lives, and that no other user may read or lock.</summary>
/// <remarks>
/// Here the file is made by the system's own call, since this target makes none with a mode, and opened behind that. Not every runtime of this
/// target locks files against other processes: where that does nothing, a live server would be taken for a dead one, so it is refused.
/// </remarks>
internal static partial class LockFile
{
    private const UnixFileMode Mine = UnixFileMode.UserRead | UnixFileMode.UserWrite;

    public static FileStream Open(string path, FileMode mode, FileShare share)
    {
        if (OperatingSystem.IsWindows())
            return new FileStream(path, mode, FileAccess.ReadWrite, share);

        LibC.Create(path, Mine, noneMayBe: mode == FileMode.CreateNew);
        return Checked(new FileStream(path, FileMode.Open, FileAccess.ReadWrite, share), isNew: mode == FileMode.CreateNew);
    }

    public static FileStream OpenAlone(string path, FileOptions options)
    {
        return Checked(new FileStream(path, FileMode.Open, FileAccess.ReadWrite, FileShare.None, bufferSize: 1, options), isNew: false);
    }

    private static bool IsLocked(string path) => LibC.IsLocked(path);
}
