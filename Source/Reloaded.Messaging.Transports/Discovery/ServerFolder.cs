using System;
using System.Collections.Generic;
using System.Globalization;
using System.IO;

namespace Reloaded.Messaging;

/// <summary>The folder of this user's published servers: a file for each, named for the server and its process.</summary>
internal static class ServerFolder
{
    /// <summary>For how long nobody looks at a file that another server is making: it is there before it is held.</summary>
    private static readonly TimeSpan s_making = TimeSpan.FromMinutes(1);

    public static string Get() => UserFolder.Make(Path.Combine(UserFolder.Get(), "servers"));

    public static string PathOf(string name, int processId) => Path.Combine(Get(), string.Create(CultureInfo.InvariantCulture, $"{name}.{processId}"));

    /// <summary>Finds a process's server.</summary>
    /// <exception cref="DiscoveryException">There is none, and why.</exception>
    public static ServerEntry Resolve(string name, int processId)
    {
        var path = PathOf(name, processId);
        if (ProcessIdentity.TryGet(processId) is not { } process)
        {
            EntryFile.RemoveIfDead(path);
            throw new DiscoveryException(DiscoveryFailure.NoProcess, name, processId);
        }

        var entry = EntryFile.TryRead(path);
        var isGone = EntryFile.RemoveIfDead(path);
        if (entry is not null && !entry.Process.IsSame(process))
            throw new DiscoveryException(DiscoveryFailure.StaleEntry, name, processId);
        return entry is null || isGone ? throw new DiscoveryException(DiscoveryFailure.NoServer, name, processId) : entry;
    }

    /// <returns>The processes that have a live server of a name, the lowest id first.</returns>
    public static List<int> Find(string name)
    {
        var found = new List<int>();
        foreach (var path in Directory.EnumerateFiles(Get(), name + ".*"))
        {
            if (!int.TryParse(Path.GetFileName(path).AsSpan(name.Length + 1), NumberStyles.None, CultureInfo.InvariantCulture, out var id))
                continue; // a longer name's, or a socket's
            if (EntryFile.TryRead(path) is { } entry && !EntryFile.RemoveIfDead(path) && ProcessIdentity.TryGet(id) is { } process && entry.Process.IsSame(process))
                found.Add(id);
        }

        found.Sort();
        return found;
    }

    /// <summary>Removes what dead servers have left.</summary>
    public static void RemoveDead()
    {
        foreach (var path in Directory.EnumerateFiles(Get()))
        {
            if (path.EndsWith(".sock", StringComparison.Ordinal) || path.EndsWith(".lock", StringComparison.Ordinal))
                continue; // those go with their entries
            if (!IsBeingMade(path))
                EntryFile.RemoveIfDead(path);
        }
    }

    private static bool IsBeingMade(string path) =>
        path.EndsWith(EntryFile.UnpublishedEnding, StringComparison.Ordinal) && TimeProvider.System.GetUtcNow() - File.GetLastWriteTimeUtc(path) < s_making;
}
