using System.IO;

namespace Reloaded.Messaging;

/// <content>The deletion of files, for every target.</content>
internal static partial class LockFile
{
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
}
