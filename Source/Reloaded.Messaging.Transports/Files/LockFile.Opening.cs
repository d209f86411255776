using System.IO;

namespace Reloaded.Messaging;

/// <summary>Opens files that a process holds while it runs. Other users can neither read nor lock them.</summary>
internal static partial class LockFile
{
    private const UnixFileMode OwnerOnly = UnixFileMode.UserRead | UnixFileMode.UserWrite;

    /// <summary>Opens a file for reading and writing. A new file is accessible only to this user from its creation.</summary>
    public static FileStream Open(string path, FileMode mode, FileShare share) => Checked(OpenUnchecked(path, mode, share), isNew: mode == FileMode.CreateNew);

    /// <summary>Opens a file as <see cref="Open"/> does, also if the file system has no locks.</summary>
    public static FileStream OpenUnchecked(string path, FileMode mode, FileShare share)
    {
        var options = new FileStreamOptions { Mode = mode, Access = FileAccess.ReadWrite, Share = share };
        if (!OperatingSystem.IsWindows())
            options.UnixCreateMode = OwnerOnly;
        return new FileStream(path, options);
    }

    /// <summary>Opens an existing file exclusively.</summary>
    /// <exception cref="IOException">Thrown when the file does not exist, or when another process holds it.</exception>
    public static FileStream OpenAlone(string path, FileOptions options)
    {
        return Checked(new FileStream(path, FileMode.Open, FileAccess.ReadWrite, FileShare.None, bufferSize: 1, options), isNew: false);
    }

    /// <summary>Opens an existing file for reading, together with other readers.</summary>
    /// <exception cref="IOException">Thrown when the file does not exist, or when another process holds it exclusively.</exception>
    public static FileStream OpenShared(string path, FileShare share) => new(path, FileMode.Open, FileAccess.Read, share);

    /// <summary>Returns whether a file that this process has opened is locked. In this runtime, a lock also applies to a second opening in the same process.</summary>
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
