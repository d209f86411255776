using System;
using System.IO;
using System.Text;

namespace Reloaded.Messaging;

/// <summary>An entry's file, which its server holds open: whoever can lock it all for himself knows that its server is dead.</summary>
/// <remarks>
/// It is made under another name and renamed when it is whole, so that nobody reads half of it. Its server shares it with readers. An entry is
/// removed by its server, or by whoever holds it alone; so a live one never is.
/// </remarks>
internal sealed class EntryFile : IDisposable
{
    /// <summary>What names of files end with that are not published yet.</summary>
    public const string UnpublishedEnding = ".new";

    private readonly FileStream _stream;
    private string _path;

    private EntryFile(string path)
    {
        _path = path;
        _stream = LockFile.Open(path, FileMode.CreateNew, FileShare.Read | FileShare.Delete);
    }

    /// <summary>Makes a file that nobody looks for yet.</summary>
    public static EntryFile Create(string folder) => new(Path.Combine(folder, Path.GetRandomFileName() + UnpublishedEnding));

    public void Write(ServerEntry entry)
    {
        _stream.SetLength(0);
        _stream.Write(Encoding.UTF8.GetBytes(entry.Write()));
        _stream.Flush();
    }

    /// <summary>Gives it the name under which it is found.</summary>
    /// <returns>False if there is a file of that name.</returns>
    public bool TryPublish(string path)
    {
        try
        {
            File.Move(_path, path, overwrite: false);
        }
        catch (Exception e) when (IsUnavailable(e) && File.Exists(path))
        {
            return false;
        }

        _path = path;
        return true;
    }

    /// <summary>Removes it.</summary>
    public void Dispose()
    {
        try
        {
            LockFile.Delete(_path); // while it is held: nobody else's can be there
        }
        finally
        {
            _stream.Dispose();
        }
    }

    /// <returns>Null if there is none, or what is there is none.</returns>
    public static ServerEntry? TryRead(string path)
    {
        try
        {
            using var stream = new FileStream(path, FileMode.Open, FileAccess.Read, FileShare.ReadWrite | FileShare.Delete);
            return Read(stream);
        }
        catch (Exception e) when (IsUnavailable(e))
        {
            return null; // there is none, or one that is being removed
        }
    }

    /// <summary>Removes an entry whose server is dead, and what that left behind.</summary>
    /// <returns>Whether there is none any more.</returns>
    public static bool RemoveIfDead(string path)
    {
        try
        {
            // Windows lets nobody replace what is held alone, and removes it as it is closed. Elsewhere a lock says nothing about the name.
            var options = OperatingSystem.IsWindows() ? FileOptions.DeleteOnClose : FileOptions.None;
            using var held = LockFile.OpenAlone(path, options);
            if (!OperatingSystem.IsWindows() && IsReplaced(path))
                return false;
            Read(held)?.RemoveSocket();
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
            return false; // somebody holds it
        }
    }

    /// <summary>Whether a file cannot be opened at this moment. Windows denies access to a file whose deletion is pending: that is no <see cref="IOException"/>.</summary>
    public static bool IsUnavailable(Exception failure) => failure is IOException or UnauthorizedAccessException;

    /// <summary>Whether a new entry came under the name after the one that is held was opened and before it was held: that one can be opened, and the one that is held can't.</summary>
    private static bool IsReplaced(string path)
    {
        try
        {
            using var other = new FileStream(path, FileMode.Open, FileAccess.Read, FileShare.ReadWrite);
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
