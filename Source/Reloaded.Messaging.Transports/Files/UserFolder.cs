using System;
using System.IO;

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
        : Path.Combine(Path.GetTempPath(), $"reloaded-messaging-{Environment.UserName}");

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

        var made = Directory.CreateDirectory(folder, OwnerOnly);
        if (made.LinkTarget is not null || made.UnixFileMode != OwnerOnly)
        {
            throw new InvalidOperationException(
                $"{folder} has the mode {made.UnixFileMode} or is a link; it must be a folder that only its owner may enter. " +
                "Remove it, set its mode to 0700, or use MessageEndpoint.Unix with another path.");
        }

        if (!FileOwner.IsThisUser(folder)) // the first creator of the folder controls its content
            throw new InvalidOperationException($"{folder} belongs to another user. Remove the folder, set XDG_RUNTIME_DIR to a folder of this user, or use MessageEndpoint.Unix with another path.");

        return folder;
    }

    private static InvalidOperationException CannotRestrict(string folder, string reason, Exception? inner) =>
        new($"{folder} cannot be restricted to this user. {reason} Remove the folder, or set TEMP to a folder of this user.", inner);
}
