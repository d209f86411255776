using System;
using System.Collections.Generic;
using System.IO;

namespace ModLoader;

/// <summary>Finds configuration files in a folder and in the folders inside it.</summary>
public static class ModFolder
{
    /// <summary>Returns the paths of all .json files, sorted. A folder that can't be read and a link to a folder get a line each.</summary>
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
                        // A link may lead to a folder that contains it: following it would not end.
                        say($"Left out {Path.GetRelativePath(folder, entry.FullName)}: It is a link to a folder. Name that folder instead.");
                    }
                }
            }
            catch (Exception e) when (e is IOException or UnauthorizedAccessException)
            {
                say($"Left out {Path.GetRelativePath(folder, next)}: {e.Message}");
            }
        }

        files.Sort(StringComparer.Ordinal);
        return files;
    }
}
