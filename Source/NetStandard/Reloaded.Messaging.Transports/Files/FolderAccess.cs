using System.IO;

namespace Reloaded.Messaging;

/// <summary>Access control lists of folders on Windows. This target has none, so a folder inherits the list of its parent.</summary>
internal static class FolderAccess
{
    public static bool TryMake(string path) => Directory.CreateDirectory(path).Exists;
}
