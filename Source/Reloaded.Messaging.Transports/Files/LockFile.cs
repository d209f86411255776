using System;
using System.IO;

namespace Reloaded.Messaging;

/// <summary>Files that are held open to say that somebody lives, and that no other user may read or lock.</summary>
internal static partial class LockFile
{
    private const UnixFileMode Mine = UnixFileMode.UserRead | UnixFileMode.UserWrite;

    /// <summary>Opens a file to read and write. One that is made is this user's alone from its first moment.</summary>
    public static FileStream Open(string path, FileMode mode, FileShare share)
    {
        var options = new FileStreamOptions { Mode = mode, Access = FileAccess.ReadWrite, Share = share };
        if (!OperatingSystem.IsWindows())
            options.UnixCreateMode = Mine;
        return Checked(new FileStream(path, options), isNew: mode == FileMode.CreateNew);
    }

    /// <summary>Opens a file that is there and that nobody else holds.</summary>
    /// <exception cref="IOException">There is none, or somebody holds it.</exception>
    public static FileStream OpenAlone(string path, FileOptions options)
    {
        return Checked(new FileStream(path, FileMode.Open, FileAccess.ReadWrite, FileShare.None, bufferSize: 1, options), isNew: false);
    }

    /// <summary>Returns whether a file that this process has opened is locked. A lock of this runtime holds against a second opening in this process too.</summary>
    private static bool IsLocked(string path)
    {
        try
        {
            using var second = new FileStream(path, FileMode.Open, FileAccess.ReadWrite, FileShare.None);
            return false;
        }
        catch (IOException e) when (IsHeld(e))
        {
            return true;
        }
    }
}
