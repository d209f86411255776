using System;
using System.IO;
using System.Net.Sockets;

namespace Reloaded.Messaging;

/// <summary>The file of a listening Unix socket, and a lock file that shows whether its server is running.</summary>
/// <remarks>
/// The server holds the lock while it listens, and the system releases the lock when the server dies. The lock is taken before a file is deleted or
/// bound. A socket file without a lock therefore belongs to a dead server and may be deleted. The socket file alone does not show this. Disposing a
/// socket deletes the file at its path, even if another server has bound the path since.
/// </remarks>
internal sealed class UnixSocketFile : IDisposable
{
    private const UnixFileMode OwnerOnly = UnixFileMode.UserRead | UnixFileMode.UserWrite;

    private readonly string _path;
    private readonly FileStream _lock;
    private readonly bool _keepsLock;
    private bool _isBound;

    /// <param name="path">The path of the socket file.</param>
    /// <param name="keepsLock">Whether the lock file stays after disposal. <see langword="false"/> for a path at which no other server will listen.</param>
    public UnixSocketFile(string path, bool keepsLock)
    {
        _path = path;
        _keepsLock = keepsLock;
        try
        {
            _lock = LockFile.Open(path + ".lock", FileMode.OpenOrCreate, FileShare.None);
        }
        catch (IOException e) when (LockFile.IsHeld(e))
        {
            throw new InvalidOperationException($"Another server already listens at {path}: it holds {path}.lock. Stop it first, or choose another path.", e);
        }
        catch (Exception e) when (e is (IOException and not DirectoryNotFoundException) or UnauthorizedAccessException)
        {
            throw new InvalidOperationException($"The server cannot listen at {path}, because its lock can't be opened: {e.Message} Choose a path on a writable disk with free space.", e);
        }
    }

    /// <summary>Binds a socket that only this user can access. No client can connect before the socket listens.</summary>
    public void BindOwned(Socket socket, UnixDomainSocketEndPoint endPoint)
    {
        if (new FileInfo(_path) is { Exists: true, Length: > 0 })
            throw new InvalidOperationException($"{_path} is a file and not a socket. The file was not changed. Choose another path.");
        File.Delete(_path); // the file of a dead server
        socket.Bind(endPoint);
        _isBound = true;
        if (!OperatingSystem.IsWindows()) // on Windows, the permissions of the folder apply
            File.SetUnixFileMode(_path, OwnerOnly);
    }

    // Deletes the socket file first, while the lock is held. A shared lock file stays: if it were deleted, two servers could hold two different locks.
    public void Dispose()
    {
        try
        {
            if (_isBound)
                LockFile.Delete(_path);
            if (!_keepsLock)
                LockFile.Delete(_path + ".lock");
        }
        finally
        {
            _isBound = false;
            _lock.Dispose();
        }
    }
}
