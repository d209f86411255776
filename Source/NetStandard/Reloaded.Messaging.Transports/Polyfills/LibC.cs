using System.IO;
using System.Runtime.InteropServices;
using System.Text;

namespace Reloaded.Messaging.Polyfills;

/// <summary>System calls for features that this target lacks: file modes, and locks that apply to other processes. Linux only; the constants are those of Linux.</summary>
internal static class LibC
{
    private const int CurrentFolder = -100;
    private const uint ModeWanted = 0x2;
    private const int ModeOffset = 28;
    private const int ReadWrite = 0x2;
    private const int CreateIfNone = 0x40;
    private const int NoneMayBe = 0x80;
    private const int NotForChildren = 0x80000;
    private const int LockShared = 0x1;
    private const int LockAlone = 0x2;
    private const int DontWait = 0x4;

    private const int NotPermitted = 1;
    private const int NoSuchFile = 2;
    private const int WouldBlock = 11;
    private const int AccessDenied = 13;
    private const int Exists = 17;

    /// <summary>Creates a file with a mode, if it does not exist.</summary>
    /// <exception cref="IOException">Thrown when the file exists and <paramref name="noneMayBe"/> is set, or when the file cannot be created.</exception>
    public static void Create(string path, UnixFileMode mode, bool noneMayBe)
    {
        var file = Open(path, ReadWrite | CreateIfNone | NotForChildren | (noneMayBe ? NoneMayBe : 0), mode);
        _ = Close(file);
    }

    /// <summary>Returns whether a file that this process has opened is locked against other processes.</summary>
    public static bool IsLocked(string path)
    {
        var file = Open(path, ReadWrite | NotForChildren, default);
        var isLocked = FLock(file, LockAlone | DontWait) != 0;
        _ = Close(file);
        return isLocked;
    }

    /// <summary>Locks a file against other processes and against other openings in this process, as the streams of .NET do.</summary>
    /// <returns>A handle that holds the lock until <see cref="Unlock"/>, or until the process ends.</returns>
    /// <exception cref="IOException">Thrown when another process or opening holds the file; its HResult is that of .NET.</exception>
    public static int Lock(string path, bool isExclusive)
    {
        var file = Open(path, (isExclusive ? ReadWrite : 0) | NotForChildren, default);
        if (FLock(file, (isExclusive ? LockAlone : LockShared) | DontWait) == 0)
            return file;
        var error = Marshal.GetLastWin32Error();
        _ = Close(file);
        throw error == WouldBlock ? new IOException($"{path} is held by another process.", WouldBlock) : Failure(error, path);
    }

    /// <summary>Releases a lock.</summary>
    public static void Unlock(int file) => _ = Close(file);

    /// <returns><see langword="true"/> if the folder was created; <see langword="false"/> if the path already exists.</returns>
    public static bool MakeFolder(string path, UnixFileMode mode)
    {
        CheckSystem();
        if (MkDir(LockFile.BytesOf(path), (uint)mode) == 0)
            return true;
        var error = Marshal.GetLastWin32Error();
        return error == Exists ? false : throw Failure(error, path);
    }

    public static void SetMode(string path, UnixFileMode mode)
    {
        CheckSystem();
        if (ChMod(LockFile.BytesOf(path), (uint)mode) != 0)
            throw Failure(Marshal.GetLastWin32Error(), path);
    }

    public static UnixFileMode GetMode(string path)
    {
        CheckSystem();
        var record = new byte[256];
        if (StatX(CurrentFolder, LockFile.BytesOf(path), 0, ModeWanted, record) != 0)
            throw Failure(Marshal.GetLastWin32Error(), path);
        if ((BitConverter.ToUInt32(record, 0) & ModeWanted) == 0)
            throw new IOException($"The system did not report the mode of {path}. Choose a path on another file system.");
        return (UnixFileMode)(BitConverter.ToUInt16(record, ModeOffset) & 0xFFF);
    }

    /// <returns>The target of a link, or <see langword="null"/> if the path is not a link.</returns>
    public static string? GetLinkTarget(string path)
    {
        CheckSystem();
        var target = new byte[4096];
        var size = ReadLink(LockFile.BytesOf(path), target, target.Length);
        return size < 0 ? null : Encoding.UTF8.GetString(target, 0, (int)size);
    }

    private static int Open(string path, int flags, UnixFileMode mode)
    {
        CheckSystem();
        var file = Open(LockFile.BytesOf(path), flags, (uint)mode);
        return file >= 0 ? file : throw Failure(Marshal.GetLastWin32Error(), path);
    }

    private static void CheckSystem()
    {
        if (!OperatingSystem.IsLinux())
        {
            throw new PlatformNotSupportedException(
                "The netstandard2.1 build supports file modes only on Linux, so it has no servers at Unix sockets, no local endpoints and no published servers here. " +
                "Use MessageEndpoint.Tcp with MessageHostOptions.Token, or use the build for .NET 8 or later.");
        }
    }

    private static Exception Failure(int error, string path) => error switch
    {
        NotPermitted or AccessDenied => new UnauthorizedAccessException($"Access to {path} is denied."),
        NoSuchFile => new DirectoryNotFoundException($"A part of the path {path} does not exist."),
        Exists => new IOException($"{path} already exists."),
        _ => new IOException($"{path} cannot be used: system error {error}."),
    };

    [DllImport("libc", EntryPoint = "open", SetLastError = true), DefaultDllImportSearchPaths(DllImportSearchPath.SafeDirectories)]
    private static extern int Open(byte[] path, int flags, uint mode);

    [DllImport("libc", EntryPoint = "close"), DefaultDllImportSearchPaths(DllImportSearchPath.SafeDirectories)]
    private static extern int Close(int file);

    [DllImport("libc", EntryPoint = "flock", SetLastError = true), DefaultDllImportSearchPaths(DllImportSearchPath.SafeDirectories)]
    private static extern int FLock(int file, int operation);

    [DllImport("libc", EntryPoint = "mkdir", SetLastError = true), DefaultDllImportSearchPaths(DllImportSearchPath.SafeDirectories)]
    private static extern int MkDir(byte[] path, uint mode);

    [DllImport("libc", EntryPoint = "chmod", SetLastError = true), DefaultDllImportSearchPaths(DllImportSearchPath.SafeDirectories)]
    private static extern int ChMod(byte[] path, uint mode);

    [DllImport("libc", EntryPoint = "statx", SetLastError = true), DefaultDllImportSearchPaths(DllImportSearchPath.SafeDirectories)]
    private static extern int StatX(int folder, byte[] path, int flags, uint wanted, byte[] record);

    [DllImport("libc", EntryPoint = "readlink"), DefaultDllImportSearchPaths(DllImportSearchPath.SafeDirectories)]
    private static extern nint ReadLink(byte[] path, byte[] target, nint size);
}

internal static class FileExtensions
{
    extension(File)
    {
        public static void SetUnixFileMode(string path, UnixFileMode mode) => LibC.SetMode(path, mode);

        public static UnixFileMode GetUnixFileMode(string path) => LibC.GetMode(path);
    }

    extension(Directory)
    {
        /// <summary>Creates a folder with a mode, and its parent folders with the default mode. An existing folder is not changed.</summary>
        public static DirectoryInfo CreateDirectory(string path, UnixFileMode mode)
        {
            var full = Path.GetFullPath(path);
            if (Path.GetDirectoryName(full) is { } parent)
                Directory.CreateDirectory(parent);
            if (!LibC.MakeFolder(full, mode) && !Directory.Exists(full))
                throw new IOException($"{full} exists and is not a folder. Remove it, or choose another path.");
            return new DirectoryInfo(full);
        }
    }

    extension(DirectoryInfo folder)
    {
        public string? LinkTarget => LibC.GetLinkTarget(folder.FullName);

        public UnixFileMode UnixFileMode => LibC.GetMode(folder.FullName);
    }

    public static int ReadAtLeast(this Stream stream, byte[] buffer, int minimumBytes, bool throwOnEndOfStream)
    {
        var total = 0;
        while (total < minimumBytes)
        {
            var read = stream.Read(buffer, total, buffer.Length - total);
            if (read == 0)
                return throwOnEndOfStream ? throw new EndOfStreamException() : total;
            total += read;
        }

        return total;
    }
}
