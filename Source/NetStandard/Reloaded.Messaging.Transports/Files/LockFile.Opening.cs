using System.IO;

namespace Reloaded.Messaging;

/// <summary>Opens files that a process holds while it runs. Other users can neither read nor lock them.</summary>
/// <remarks>This target cannot create a file with a mode, so a system call creates the file, and .NET opens it afterwards.</remarks>
internal static partial class LockFile
{
    private const UnixFileMode OwnerOnly = UnixFileMode.UserRead | UnixFileMode.UserWrite;

    /// <summary>Whether the streams of the runtime lock files against other processes. On Mono, they do only on Windows.</summary>
    private static readonly bool s_streamsLock = OperatingSystem.IsWindows() || ThisRuntime.IsDotNet;

    public static FileStream Open(string path, FileMode mode, FileShare share) => Checked(OpenUnchecked(path, mode, share), isNew: mode == FileMode.CreateNew);

    public static FileStream OpenUnchecked(string path, FileMode mode, FileShare share)
    {
        if (OperatingSystem.IsWindows())
            return new FileStream(path, mode, FileAccess.ReadWrite, share);

        LibC.Create(path, OwnerOnly, noneMayBe: mode == FileMode.CreateNew);
        return s_streamsLock
            ? new FileStream(path, FileMode.Open, FileAccess.ReadWrite, share)
            : new LockedStream(path, FileAccess.ReadWrite, isExclusive: share == FileShare.None);
    }

    public static FileStream OpenAlone(string path, FileOptions options) => Checked(
        s_streamsLock
            ? new FileStream(path, FileMode.Open, FileAccess.ReadWrite, FileShare.None, bufferSize: 1, options)
            : new LockedStream(path, FileAccess.ReadWrite, isExclusive: true),
        isNew: false);

    /// <summary>Opens an existing file for reading, together with other readers.</summary>
    public static FileStream OpenShared(string path, FileShare share) => s_streamsLock
        ? new FileStream(path, FileMode.Open, FileAccess.Read, share)
        : new LockedStream(path, FileAccess.Read, isExclusive: false);

    private static bool IsLocked(string path) => LibC.IsLocked(path);
}

/// <summary>A file with a lock of the system, for a runtime whose own locks apply only within the process. The streams of .NET take the same lock.</summary>
internal sealed class LockedStream : FileStream
{
    private const int None = -1;

    private int _lock = None; // set before the base constructor runs: if that throws, the finalizer still calls Dispose

    public LockedStream(string path, FileAccess access, bool isExclusive)
        : base(path, FileMode.Open, access, FileShare.ReadWrite | FileShare.Delete)
    {
        try
        {
            _lock = LibC.Lock(path, isExclusive);
        }
        catch
        {
            Dispose();
            throw;
        }
    }

    protected override void Dispose(bool disposing)
    {
        base.Dispose(disposing);
        if (Interlocked.Exchange(ref _lock, None) is not None and var file)
            LibC.Unlock(file);
    }
}
