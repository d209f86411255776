using System;
using System.IO;
using System.Net.Sockets;

namespace Reloaded.Messaging;

/// <summary>The file of a listening Unix socket, and the lock beside it that says whether its server lives.</summary>
/// <remarks>
/// The lock is held open for as long as the server listens, and freed by the system when it dies. It is taken before anything is unlinked or
/// bound: so a socket's file without a lock is a dead server's, and may go. The socket's own file is no such sign, and disposing a socket
/// deletes the file at its path even when another server has since bound it.
/// </remarks>
internal sealed class UnixSocketFile : IDisposable
{
    private const UnixFileMode Mine = UnixFileMode.UserRead | UnixFileMode.UserWrite;

    private readonly string _path;
    private readonly FileStream _lock;
    private readonly bool _keepsLock;
    private bool _isBound;

    /// <param name="path">The socket's file.</param>
    /// <param name="keepsLock">False for a path that nobody else will ever listen at: its lock goes with it.</param>
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
            throw new InvalidOperationException($"A server listens at {path} already: it holds {path}.lock. Stop it first, or choose another path.", e);
        }
        catch (Exception e) when (e is (IOException and not DirectoryNotFoundException) or UnauthorizedAccessException)
        {
            throw new InvalidOperationException($"The server can't listen at {path}, because its lock can't be opened: {e.Message} Choose a path on a disk that can be written and has room.", e);
        }
    }

    /// <summary>Binds a socket, for this user alone. Nobody can connect before it listens.</summary>
    public void BindOwned(Socket socket)
    {
        if (new FileInfo(_path) is { Exists: true, Length: > 0 })
            throw new InvalidOperationException($"{_path} is a file and no socket. It was left as it is: choose another path.");
        File.Delete(_path); // a dead server's
        socket.Bind(new UnixDomainSocketEndPoint(_path));
        _isBound = true;
        if (!OperatingSystem.IsWindows()) // there the folder's rights are what counts
            File.SetUnixFileMode(_path, Mine);
    }

    // The socket's file first, while the lock is still held. The lock's own file stays: deleting it would let two servers hold two locks.
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
