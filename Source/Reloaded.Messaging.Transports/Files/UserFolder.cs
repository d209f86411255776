using System.Globalization;
using System.IO;
using System.Runtime.InteropServices;

namespace Reloaded.Messaging;

/// <summary>The folder that contains the sockets of the local servers of this user. Other users cannot access it.</summary>
internal static class UserFolder
{
    private const UnixFileMode OwnerOnly = UnixFileMode.UserRead | UnixFileMode.UserWrite | UnixFileMode.UserExecute;

    public static string Get()
    {
        // Wine passes the environment of the host system to programs that see Windows. The path would then refer to the current drive of the program.
        return Make(Choose(OperatingSystem.IsWindows() ? null : Environment.GetEnvironmentVariable("XDG_RUNTIME_DIR")));
    }

    /// <summary>Returns the path of the folder.</summary>
    /// <param name="runtime">The value of <c>XDG_RUNTIME_DIR</c>. A relative path is ignored, as the specification of the variable requires: it would name a different folder for each working directory.</param>
    internal static string Choose(string? runtime) => !string.IsNullOrEmpty(runtime) && Path.IsPathFullyQualified(runtime)
        ? Path.Combine(runtime, "reloaded-messaging")
        : In(Path.GetTempPath(), Environment.UserName);

    /// <summary>Returns the path of this user's folder in a folder that all users share.</summary>
    /// <param name="shared">The folder of all users.</param>
    /// <param name="user">The name of this user. A user of a container may have none; its number is used then.</param>
    internal static string In(string shared, string user) =>
        Path.Combine(shared, $"reloaded-messaging-{(user.Length > 0 ? user : FileOwner.GetEffectiveUser().ToString(CultureInfo.InvariantCulture))}");

    /// <summary>Creates a folder that only this user can access, or checks that an existing folder is private to this user.</summary>
    public static string Make(string folder)
    {
        if (OperatingSystem.IsWindows())
        {
            try
            {
                return FolderAccess.TryMake(folder) ? folder : throw CannotRestrict(folder, "Other users still have access.", null);
            }
            catch (UnauthorizedAccessException e)
            {
                throw CannotRestrict(folder, e.Message, e);
            }
        }

        DirectoryInfo made;
        try
        {
            made = Directory.CreateDirectory(folder, OwnerOnly);
        }
        catch (Exception e) when (e is IOException or UnauthorizedAccessException)
        {
            throw new InvalidOperationException($"{folder} cannot be created. {e.Message} Set XDG_RUNTIME_DIR to a folder of this user, or, except for shared memory, use MessageEndpoint.Unix with another path.", e);
        }

        if (made.LinkTarget is not null || made.UnixFileMode != OwnerOnly)
        {
            throw new InvalidOperationException(
                $"{folder} has the mode {made.UnixFileMode} or is a link; it must be a folder that only its owner may enter. " +
                "Remove it, set its mode to 0700, or use MessageEndpoint.Unix with another path.");
        }

        if (!FileOwner.IsThisUser(folder)) // the first creator of the folder controls its content
            throw new InvalidOperationException($"{folder} belongs to another user. Remove the folder, use MessageEndpoint.Unix with another path, or, except for shared memory, set XDG_RUNTIME_DIR to a folder of this user.");

        return folder;
    }

    private static InvalidOperationException CannotRestrict(string folder, string reason, Exception? inner) =>
        new($"{folder} cannot be restricted to this user. {reason} Remove the folder, or set TEMP to a folder of this user.", inner);
}

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
        if (StatX(CurrentFolder, LockFile.BytesOf(path), NotThroughLinks, OwnerWanted, record) != 0)
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
    public static extern uint GetEffectiveUser();
}
