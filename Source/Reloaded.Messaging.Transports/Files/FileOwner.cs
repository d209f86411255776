using System;
using System.IO;
using System.Runtime.InteropServices;
using System.Text;

namespace Reloaded.Messaging;

/// <summary>Whose a file or folder is, on systems with owners and modes.</summary>
/// <remarks>
/// .NET says a file's mode and not its owner. Linux is asked by statx, whose record has the same layout on every processor (man 2 statx).
/// Elsewhere the question is whether its mode can be set to what it is, which the system grants to the owner and to root alone.
/// </remarks>
internal static class FileOwner
{
    private const int CurrentFolder = -100;
    private const int NotThroughLinks = 0x100;
    private const uint OwnerWanted = 0x8;
    private const int RecordSize = 256;
    private const int OwnerOffset = 20;

    public static bool IsThisUser(string path)
    {
        if (!OperatingSystem.IsLinux())
            return CanSetMode(path);

        var record = new byte[RecordSize];
        if (StatX(CurrentFolder, Encoding.UTF8.GetBytes(path + '\0'), NotThroughLinks, OwnerWanted, record) != 0)
            return CanSetMode(path); // a kernel or a sandbox without the call
        return (BitConverter.ToUInt32(record) & OwnerWanted) != 0 && BitConverter.ToUInt32(record, OwnerOffset) == GetEffectiveUser();
    }

    private static bool CanSetMode(string path)
    {
        if (OperatingSystem.IsWindows())
            return true; // folders of a user's profile are the user's there
        try
        {
            File.SetUnixFileMode(path, File.GetUnixFileMode(path));
            return true;
        }
        catch (UnauthorizedAccessException)
        {
            return false;
        }
    }

    [DllImport("libc", EntryPoint = "statx"), DefaultDllImportSearchPaths(DllImportSearchPath.SafeDirectories)]
    private static extern int StatX(int folder, byte[] path, int flags, uint wanted, byte[] record);

    [DllImport("libc", EntryPoint = "geteuid"), DefaultDllImportSearchPaths(DllImportSearchPath.SafeDirectories)]
    private static extern uint GetEffectiveUser();
}
