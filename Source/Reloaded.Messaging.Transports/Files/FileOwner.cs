using System;
using System.IO;
using System.Runtime.InteropServices;
using System.Text;

namespace Reloaded.Messaging;

/// <summary>Determines the owner of a file or folder, on systems with owners and modes.</summary>
/// <remarks>
/// .NET provides the mode of a file, but not its owner. On Linux, statx returns the owner in a record whose layout is the same on every processor
/// (man 2 statx). On other systems, the check sets the mode of the file to its current value, which only the owner and root may do.
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
            return CanSetMode(path); // the kernel or the sandbox does not provide statx
        return (BitConverter.ToUInt32(record) & OwnerWanted) != 0 && BitConverter.ToUInt32(record, OwnerOffset) == GetEffectiveUser();
    }

    private static bool CanSetMode(string path)
    {
        if (OperatingSystem.IsWindows())
            return true; // on Windows, folders in the profile of a user belong to the user
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
