using System;
using System.IO;

namespace Reloaded.Messaging;

/// <summary>The folder that this user's local servers have their sockets in, which nobody else may enter.</summary>
internal static class UserFolder
{
    private const UnixFileMode Mine = UnixFileMode.UserRead | UnixFileMode.UserWrite | UnixFileMode.UserExecute;

    public static string Get()
    {
        // Wine hands the system's environment on to programs that see Windows: the folder would be on whatever drive is theirs just now.
        return Make(Choose(OperatingSystem.IsWindows() ? null : Environment.GetEnvironmentVariable("XDG_RUNTIME_DIR")));
    }

    /// <summary>Returns the path of the folder.</summary>
    /// <param name="runtime">The value of <c>XDG_RUNTIME_DIR</c>. A relative path is ignored, as its specification says: it would be another folder for each working directory.</param>
    internal static string Choose(string? runtime) => !string.IsNullOrEmpty(runtime) && Path.IsPathFullyQualified(runtime)
        ? Path.Combine(runtime, "reloaded-messaging")
        : Path.Combine(Path.GetTempPath(), $"reloaded-messaging-{Environment.UserName}");

    /// <summary>Makes a folder for this user alone, or finds that it is one.</summary>
    public static string Make(string folder)
    {
        if (OperatingSystem.IsWindows())
            return Directory.CreateDirectory(folder).FullName;

        var made = Directory.CreateDirectory(folder, Mine);
        if (made.LinkTarget is not null || made.UnixFileMode != Mine)
        {
            throw new InvalidOperationException(
                $"{folder} has the mode {made.UnixFileMode} or is a link, and should be a folder that only its owner may enter. " +
                "Remove it, set its mode to 0700, or use MessageEndpoint.Unix with a path of your own.");
        }

        if (!FileOwner.IsThisUser(folder)) // whoever made it first can put anything there
            throw new InvalidOperationException($"{folder} belongs to another user. Have it removed, or use MessageEndpoint.Unix with a path of your own.");

        return folder;
    }
}
