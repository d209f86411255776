using System.Globalization;
using System.IO;

namespace Reloaded.Messaging;

/// <summary>The folder of the published servers of this user. Each file is named after a server and its process.</summary>
internal static class ServerFolder
{
    /// <summary>The minimum age at which an unpublished file may be removed. A server creates the file before it locks the file.</summary>
    private static readonly TimeSpan s_creationTime = TimeSpan.FromMinutes(1);

    public static string Get() => UserFolder.Make(Path.Combine(UserFolder.Get(), "servers"));

    public static string PathOf(string name, int processId) => Path.Combine(Get(), FormattableString.Invariant($"{name}.{processId}"));

    /// <summary>Returns the server of a process.</summary>
    /// <exception cref="DiscoveryException">Thrown when the server does not exist.</exception>
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

    /// <summary>Finds the running servers.</summary>
    /// <param name="name">The name of the servers, or <see langword="null"/> for servers of any name.</param>
    /// <returns>The name and the entry of each server, in ascending order of the process ids and then of the names.</returns>
    public static List<(string Name, ServerEntry Entry)> Find(string? name)
    {
        var found = new List<(string Name, ServerEntry Entry)>();
        foreach (var path in Directory.EnumerateFiles(Get())) // without a pattern: .NET passes a pattern on Windows to the file system, and not every file system evaluates it
        {
            var file = Path.GetFileName(path);
            var dot = file.LastIndexOf('.');
            if (dot <= 0 || !int.TryParse(file.AsSpan(dot + 1), NumberStyles.None, CultureInfo.InvariantCulture, out var id) || (name is not null && file[..dot] != name))
                continue; // another server, or a socket
            if (EntryFile.TryRead(path) is { } entry && !EntryFile.RemoveIfDead(path) && ProcessIdentity.TryGet(id) is { } process && entry.Process.IsSame(process))
                found.Add((file[..dot], entry));
        }

        found.Sort(static (one, other) => one.Entry.Process.Id != other.Entry.Process.Id
            ? one.Entry.Process.Id.CompareTo(other.Entry.Process.Id)
            : string.CompareOrdinal(one.Name, other.Name));
        return found;
    }

    /// <summary>Removes the files of servers that have ended.</summary>
    public static void RemoveDead()
    {
        foreach (var path in Directory.EnumerateFiles(Get()))
        {
            if (path.EndsWith(".sock", StringComparison.Ordinal) || path.EndsWith(".lock", StringComparison.Ordinal))
                continue; // these files are removed with their entries
            if (!IsBeingCreated(path))
                EntryFile.RemoveIfDead(path);
        }
    }

    private static bool IsBeingCreated(string path) =>
        path.EndsWith(EntryFile.UnpublishedEnding, StringComparison.Ordinal) && TimeProvider.System.GetUtcNow() - File.GetLastWriteTimeUtc(path) < s_creationTime;
}
