using System.IO;

namespace Reloaded.Messaging;

/// <content>How they go, on every target.</content>
internal static partial class LockFile
{
    /// <summary>Deletes a file, if it is there.</summary>
    public static void Delete(string path)
    {
        try
        {
            File.Delete(path);
        }
        catch (DirectoryNotFoundException)
        {
            // Somebody cleaned up: it is gone, with its folder.
        }
    }
}
