using System.IO;
using System.Runtime.InteropServices;
using System.Text;

namespace Reloaded.Messaging;

/// <content>The parts for every target: the check that an opened file is locked, and the publishing and the deletion of files.</content>
internal static partial class LockFile
{
    /// <summary>Returns whether opening a file failed because another process, or this process, holds the file.</summary>
    public static bool IsHeld(IOException failure)
    {
        const int SharingViolation = unchecked((int)0x80070020);
        const int WouldBlockOnLinux = 11;
        const int WouldBlockOnMac = 35;
        return failure.HResult is SharingViolation or WouldBlockOnLinux or WouldBlockOnMac;
    }

    /// <summary>Gives a complete file the path that others read. If several programs do so at once, one succeeds.</summary>
    /// <exception cref="IOException">Thrown when a file with this path exists.</exception>
    public static void Publish(string unpublished, string path)
    {
        // On Unix, File.Move first asks whether the path exists: two programs that ask at once would both succeed. Not every file system has links.
        if (!OperatingSystem.IsWindows() && Link(BytesOf(unpublished), BytesOf(path)) == 0)
            Delete(unpublished);
        else
            File.Move(unpublished, path);
    }

    /// <summary>Deletes a file, if it exists.</summary>
    public static void Delete(string path)
    {
        try
        {
            File.Delete(path);
        }
        catch (DirectoryNotFoundException)
        {
            // Another program has already removed the file and its folder.
        }
    }

    /// <summary>Returns the file if it is locked against a second opening; otherwise, closes it and throws. Each file is checked, because locks also depend on the file system.</summary>
    private static FileStream Checked(FileStream file, bool isNew)
    {
        var isLocked = false;
        try
        {
            isLocked = OperatingSystem.IsWindows() || IsLocked(file.Name);
        }
        finally
        {
            if (!isLocked)
                file.Dispose();
        }

        if (isLocked)
            return file;
        if (isNew)
            Delete(file.Name);
        throw new PlatformNotSupportedException(
            $"{file.Name} was opened but is not locked: this runtime or file system does not lock files against other processes. Servers at Unix sockets and published servers need such locks. " +
            "Leave DOTNET_SYSTEM_IO_DISABLEFILELOCKING unset, choose a folder on a local disk, use MessageEndpoint.Tcp with MessageHostOptions.Token, or use a runtime of .NET 8 or later.");
    }

    /// <summary>Returns a path in the form of the C library: UTF-8 with a terminating zero.</summary>
    internal static byte[] BytesOf(string path) => Encoding.UTF8.GetBytes(path + '\0');

    [DllImport("libc", EntryPoint = "link"), DefaultDllImportSearchPaths(DllImportSearchPath.SafeDirectories)]
    private static extern int Link(byte[] from, byte[] to);
}
