using System.IO;
using System.IO.MemoryMappedFiles;

namespace Reloaded.Messaging;

/// <summary>The folder for this user's maps: of a file system in memory where there is one.</summary>
internal static class MapFolder
{
    /// <summary>The file system of the maps, for messages.</summary>
    public const string Description = InMemory;

    private const string InMemory = "/dev/shm";

    /// <summary>Returns the folder, which only this user may enter. Creates it if it is missing.</summary>
    public static string Get() => !OperatingSystem.IsWindows() && Directory.Exists(InMemory)
        ? UserFolder.Make(UserFolder.In(InMemory, Environment.UserName))
        : UserFolder.Get();

    /// <summary>Whether a file can be created in the folder.</summary>
    public static bool IsUsable()
    {
        try
        {
            using (new FileStream(Path.Combine(Get(), Path.GetRandomFileName()), FileMode.CreateNew, FileAccess.Write, FileShare.None, 1, FileOptions.DeleteOnClose))
                return true;
        }
        catch (Exception e) when (e is IOException or UnauthorizedAccessException or InvalidOperationException)
        {
            return false;
        }
    }

    /// <summary>Deletes the maps that a process left behind when it was killed.</summary>
    /// <remarks>A map is locked for as long as the process that created it has it open. Windows frees a map with the last process that uses it.</remarks>
    public static void RemoveDead()
    {
        if (OperatingSystem.IsWindows())
            return;
        foreach (var path in Directory.GetFiles(Get(), "*" + MapFile.Extension))
        {
            try
            {
                MapFile.RemoveIfDead(path);
            }
            catch (Exception e) when (e is IOException or UnauthorizedAccessException)
            {
                // Its process lives, another process has just removed it, or the file is not a map of this library.
                continue;
            }
        }
    }
}
