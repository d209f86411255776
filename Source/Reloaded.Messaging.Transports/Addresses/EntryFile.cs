using System.IO;
using System.Text;

namespace Reloaded.Messaging;

/// <summary>The file of a published server, which the server keeps open. If another process can lock the file exclusively, the server has ended.</summary>
/// <remarks>
/// The file is written under a temporary name and renamed when it is complete, so that no reader sees a part of it. The server opens it for shared
/// reading. Only the server, or a process that holds the file exclusively, removes an entry. The entry of a running server is therefore never removed.
/// </remarks>
internal sealed class EntryFile : IDisposable
{
    /// <summary>The suffix of the names of files that are not published yet.</summary>
    public const string UnpublishedEnding = ".new";

    private readonly FileStream _stream;
    private string _path;

    private EntryFile(string path)
    {
        _path = path;
        _stream = LockFile.Open(path, FileMode.CreateNew, FileShare.Read | FileShare.Delete);
    }

    /// <summary>Creates a file under a temporary name, under which no client searches.</summary>
    public static EntryFile Create(string folder) => new(Path.Combine(folder, Path.GetRandomFileName() + UnpublishedEnding));

    public void Write(ServerEntry entry)
    {
        _stream.SetLength(0);
        _stream.Write(Encoding.UTF8.GetBytes(entry.Write()));
        _stream.Flush();
    }

    /// <summary>Renames the file to the name under which clients search.</summary>
    /// <returns><see langword="false"/> if a file of that name exists.</returns>
    public bool TryPublish(string path)
    {
        try
        {
            LockFile.Publish(_path, path);
        }
        catch (Exception e) when (IsUnavailable(e) && File.Exists(path))
        {
            return false;
        }

        _path = path;
        return true;
    }

    /// <summary>Removes the file.</summary>
    public void Dispose()
    {
        try
        {
            LockFile.Delete(_path); // while the file is held, so that no other process can own the name
        }
        finally
        {
            _stream.Dispose();
        }
    }

    /// <returns>The entry, or <see langword="null"/> if the file is missing or invalid.</returns>
    public static ServerEntry? TryRead(string path)
    {
        try
        {
            using var stream = LockFile.OpenShared(path, FileShare.ReadWrite | FileShare.Delete);
            return Read(stream);
        }
        catch (Exception e) when (IsUnavailable(e))
        {
            return null; // the file is missing, or is being removed
        }
    }

    /// <summary>Removes an entry whose server has ended, and the sockets of that server.</summary>
    /// <returns><see langword="true"/> if the entry no longer exists; otherwise, <see langword="false"/>.</returns>
    public static bool RemoveIfDead(string path)
    {
        try
        {
            // On Windows, no process can replace a file that is held exclusively, and closing the file deletes it. On other systems, a lock does not protect the name.
            var options = OperatingSystem.IsWindows() ? FileOptions.DeleteOnClose : FileOptions.None;
            using var held = LockFile.OpenAlone(path, options);
            if (!OperatingSystem.IsWindows() && IsReplaced(path))
                return false;
            Read(held)?.RemoveSockets();
            if (!OperatingSystem.IsWindows())
                File.Delete(path);
            return true;
        }
        catch (FileNotFoundException)
        {
            return true;
        }
        catch (Exception e) when (IsUnavailable(e))
        {
            return false; // another process holds the file
        }
    }

    /// <summary>Returns whether a file cannot be opened at this time. Windows denies access to a file whose deletion is pending, which is not an <see cref="IOException"/>.</summary>
    public static bool IsUnavailable(Exception failure) => failure is IOException or UnauthorizedAccessException;

    /// <summary>Returns whether another file took the name after the held file was opened and before it was locked. The new file can be opened, and the held file cannot.</summary>
    private static bool IsReplaced(string path)
    {
        try
        {
            using var other = LockFile.OpenShared(path, FileShare.ReadWrite);
            return true;
        }
        catch (FileNotFoundException)
        {
            return true;
        }
        catch (Exception e) when (IsUnavailable(e))
        {
            return false;
        }
    }

    private static ServerEntry? Read(FileStream stream)
    {
        var bytes = new byte[ServerEntry.MaxSize];
        return ServerEntry.TryRead(Encoding.UTF8.GetString(bytes, 0, stream.ReadAtLeast(bytes, bytes.Length, throwOnEndOfStream: false)));
    }
}
