using System;
using System.Collections.Generic;
using System.IO;

namespace ModLoader;

/// <summary>Finds configuration files in a folder and its subfolders.</summary>
public static class ModFolder
{
    /// <summary>Returns the paths of all .json files, sorted. Reports one line for each folder that cannot be read and for each link to a folder.</summary>
    public static List<string> Find(string folder, Action<string> say)
    {
        var files = new List<string>();
        var folders = new Stack<string>([folder]);
        while (folders.TryPop(out var next))
        {
            try
            {
                foreach (var entry in new DirectoryInfo(next).EnumerateFileSystemInfos())
                {
                    if (entry is not DirectoryInfo)
                    {
                        if (entry.Extension == ".json")
                            files.Add(entry.FullName);
                    }
                    else if (entry.LinkTarget is null)
                    {
                        folders.Push(entry.FullName);
                    }
                    else
                    {
                        // A link may lead to a folder that contains it. Following it would never end.
                        say($"Skipped {Path.GetRelativePath(folder, entry.FullName)}: It is a link to a folder. Specify that folder instead.");
                    }
                }
            }
            catch (Exception e) when (e is IOException or UnauthorizedAccessException)
            {
                say($"Skipped {Path.GetRelativePath(folder, next)}: {e.Message}");
            }
        }

        files.Sort(StringComparer.Ordinal);
        return files;
    }
}
