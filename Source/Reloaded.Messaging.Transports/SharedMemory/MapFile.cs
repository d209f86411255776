using System.IO;
using System.IO.MemoryMappedFiles;

namespace Reloaded.Messaging;

/// <summary>A map under a name that other processes of this user can open, until this object is disposed. The memory stays mapped after that.</summary>
internal sealed class MapFile : IDisposable
{
    public const string Extension = ".map";

    private readonly string? _path;
    private readonly IDisposable _open;
    private bool _isDisposed;

    private MapFile(SharedMap map, IDisposable open, string? path) => (Map, _open, _path) = (map, open, path);

    public readonly SharedMap Map;

    /// <summary>Creates a map, all zeros.</summary>
    /// <param name="name">Letters, digits, dots, dashes and underscores.</param>
    /// <param name="size">In bytes.</param>
    /// <exception cref="IOException">Thrown when there is a map of this name whose process lives.</exception>
    public static MapFile Create(string name, long size)
    {
        if (OperatingSystem.IsWindows())
        {
            // Without an explicit ACL, the map has the ACL of the process's token: this user and the system.
            var named = MemoryMappedFile.CreateNew(NameOnWindows(name), size);
            return Make(named, size, named, null);
        }

        var path = PathOf(name);
        RemoveIfDead(path);
        var file = CreateFile(path);
        try
        {
            Fill(file, size);
            using var mapped = MemoryMappedFile.CreateFromFile(file, null, size, MemoryMappedFileAccess.ReadWrite, HandleInheritability.None, leaveOpen: true);
            return Make(mapped, size, file, path);
        }
        catch
        {
            LockFile.Delete(path);
            file.Dispose();
            throw;
        }
    }

    /// <summary>Maps what another process has created.</summary>
    /// <exception cref="IOException">Thrown when there is no map of this name (<see cref="FileNotFoundException"/>), or it is smaller.</exception>
    public static SharedMap Open(string name, long size)
    {
        if (OperatingSystem.IsWindows())
        {
            using var named = MemoryMappedFile.OpenExisting(NameOnWindows(name));
            return new SharedMap(named, size);
        }

        using var file = new FileStream(PathOf(name), FileMode.Open, FileAccess.ReadWrite, FileShare.ReadWrite);
        if (file.Length < size)
            throw new IOException($"The map {file.Name} has {file.Length} bytes, and {size} are needed. The process that creates it has not finished, or another program changed the file.");
        using var mapped = MemoryMappedFile.CreateFromFile(file, null, 0, MemoryMappedFileAccess.ReadWrite, HandleInheritability.None, leaveOpen: true);
        return new SharedMap(mapped, size);
    }

    /// <summary>Removes a map's name, whichever process created it. Both sides do so once both have mapped it.</summary>
    public static void RemoveName(string name)
    {
        if (!OperatingSystem.IsWindows())
            LockFile.Delete(PathOf(name));
    }

    /// <summary>Removes the name. Any number of times, from one thread at a time.</summary>
    public void Dispose()
    {
        if (_isDisposed)
            return;
        _isDisposed = true;
        if (_path is not null)
            LockFile.Delete(_path);
        _open.Dispose(); // after the file is gone: its lock says that it is no dead process's
    }

    private static MapFile Make(MemoryMappedFile mapped, long size, IDisposable open, string? path) => new(new SharedMap(mapped, size), open, path);

    /// <summary>Takes the memory now. Memory that the file system does not have ends a process when it touches the map.</summary>
    private static void Fill(FileStream file, long size)
    {
        var zeros = new byte[64 * 1024];
        for (var rest = size; rest > 0; rest -= zeros.Length)
            file.Write(zeros, 0, (int)Math.Min(rest, zeros.Length));
        file.Flush();
    }

    /// <summary>Creates the file with a shared lock: the other side opens it too.</summary>
    private static FileStream CreateFile(string path)
    {
        const int Attempts = 3;
        for (var i = 1; ; i++)
        {
            try
            {
                return LockFile.Open(path, FileMode.CreateNew, FileShare.ReadWrite);
            }
            catch (IOException) when (i < Attempts)
            {
                // Another process looked for dead maps between the creation and the lock, and has removed this one.
            }
        }
    }

    public static void RemoveIfDead(string path)
    {
        try
        {
            using (LockFile.OpenAlone(path, FileOptions.None))
                LockFile.Delete(path);
        }
        catch (FileNotFoundException)
        {
            // The usual case.
        }
    }

    private static string PathOf(string name) => Path.Combine(MapFolder.Get(), name + Extension);

    private static string NameOnWindows(string name) => $"Local\\reloaded-messaging-{name}";
}
