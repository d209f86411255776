using System;
using System.IO;
using System.Runtime.InteropServices;
using System.Text;

namespace Reloaded.Messaging.Polyfills;

/// <summary>What this target says nothing of: modes of files, and locks that hold against other processes. Linux alone, whose numbers these are.</summary>
internal static class LibC
{
    private const int CurrentFolder = -100;
    private const uint ModeWanted = 0x2;
    private const int ModeOffset = 28;
    private const int ReadWrite = 0x2;
    private const int CreateIfNone = 0x40;
    private const int NoneMayBe = 0x80;
    private const int NotForChildren = 0x80000;
    private const int LockAlone = 0x2;
    private const int DontWait = 0x4;

    private const int NotPermitted = 1;
    private const int NoSuchFile = 2;
    private const int AccessDenied = 13;
    private const int Exists = 17;

    /// <summary>Makes a file with a mode, if there is none.</summary>
    /// <exception cref="IOException">There is one, and none may be; or none can be made.</exception>
    public static void Create(string path, UnixFileMode mode, bool noneMayBe)
    {
        var file = Open(path, ReadWrite | CreateIfNone | NotForChildren | (noneMayBe ? NoneMayBe : 0), mode);
        _ = Close(file);
    }

    /// <summary>Returns whether a file that this process has opened is locked against others.</summary>
    public static bool IsLocked(string path)
    {
        var file = Open(path, ReadWrite | NotForChildren, default);
        var isLocked = FLock(file, LockAlone | DontWait) != 0;
        _ = Close(file);
        return isLocked;
    }

    /// <returns>Whether it was made; false if there is something of the name.</returns>
    public static bool MakeFolder(string path, UnixFileMode mode)
    {
        CheckSystem();
        if (MkDir(BytesOf(path), (uint)mode) == 0)
            return true;
        var error = Marshal.GetLastWin32Error();
        return error == Exists ? false : throw Failure(error, path);
    }

    public static void SetMode(string path, UnixFileMode mode)
    {
        CheckSystem();
        if (ChMod(BytesOf(path), (uint)mode) != 0)
            throw Failure(Marshal.GetLastWin32Error(), path);
    }

    public static UnixFileMode GetMode(string path)
    {
        CheckSystem();
        var record = new byte[256];
        if (StatX(CurrentFolder, BytesOf(path), 0, ModeWanted, record) != 0)
            throw Failure(Marshal.GetLastWin32Error(), path);
        if ((BitConverter.ToUInt32(record, 0) & ModeWanted) == 0)
            throw new IOException($"The system does not say the mode of {path}.");
        return (UnixFileMode)(BitConverter.ToUInt16(record, ModeOffset) & 0xFFF);
    }

    /// <returns>What a link points to; null for what is none.</returns>
    public static string? GetLinkTarget(string path)
    {
        CheckSystem();
        var target = new byte[4096];
        var size = ReadLink(BytesOf(path), target, target.Length);
        return size < 0 ? null : Encoding.UTF8.GetString(target, 0, (int)size);
    }

    private static int Open(string path, int flags, UnixFileMode mode)
    {
        CheckSystem();
        var file = Open(BytesOf(path), flags, (uint)mode);
        return file >= 0 ? file : throw Failure(Marshal.GetLastWin32Error(), path);
    }

    private static void CheckSystem()
    {
        if (!OperatingSystem.IsLinux())
        {
            throw new PlatformNotSupportedException(
                "The netstandard2.1 build of Reloaded.Messaging.Hosting sets and reads the modes of files on Linux alone, and so has no servers at Unix sockets, no local endpoints and no published servers on this system. " +
                "Use MessageEndpoint.Tcp with MessageHostOptions.Token, or the build for .NET 8 or later.");
        }
    }

    private static Exception Failure(int error, string path) => error switch
    {
        NotPermitted or AccessDenied => new UnauthorizedAccessException($"Access to {path} is denied."),
        NoSuchFile => new DirectoryNotFoundException($"A part of the path {path} is not there."),
        Exists => new IOException($"{path} is there already."),
        _ => new IOException($"{path} can't be used: the system's error {error}."),
    };

    private static byte[] BytesOf(string path) => Encoding.UTF8.GetBytes(path + '\0');

    [DllImport("libc", EntryPoint = "open", SetLastError = true), DefaultDllImportSearchPaths(DllImportSearchPath.SafeDirectories)]
    private static extern int Open(byte[] path, int flags, uint mode);

    [DllImport("libc", EntryPoint = "close"), DefaultDllImportSearchPaths(DllImportSearchPath.SafeDirectories)]
    private static extern int Close(int file);

    [DllImport("libc", EntryPoint = "flock"), DefaultDllImportSearchPaths(DllImportSearchPath.SafeDirectories)]
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
