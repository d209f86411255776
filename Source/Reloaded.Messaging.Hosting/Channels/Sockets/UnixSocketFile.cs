using System;
using System.IO;
using System.Net.Sockets;

namespace Reloaded.Messaging.Hosting.Channels.Sockets;

/// <summary>The file of a listening Unix socket, and the lock beside it that says whether its server lives.</summary>
/// <remarks>
/// The lock is held open for as long as the server listens, and freed by the system when it dies. It is taken before anything is unlinked or
/// bound: so a socket's file without a lock is a dead server's, and may go. The socket's own file is no such sign, and disposing a socket
/// deletes the file at its path even when another server has since bound it.
/// </remarks>
internal sealed class UnixSocketFile : IDisposable
{
    private const int LongestPath = 107;
    private const UnixFileMode Mine = UnixFileMode.UserRead | UnixFileMode.UserWrite;

    private readonly string _path;
    private readonly FileStream _lock;

    public UnixSocketFile(string path)
    {
        if (System.Text.Encoding.UTF8.GetByteCount(path) > LongestPath)
            throw new PathTooLongException($"'{path}' is longer than the {LongestPath} bytes that the path of a Unix socket may have. Choose a shorter folder or name.");
        _path = path;
        try
        {
            var options = new FileStreamOptions { Mode = FileMode.OpenOrCreate, Access = FileAccess.ReadWrite, Share = FileShare.None };
            if (!OperatingSystem.IsWindows())
                options.UnixCreateMode = Mine;
            _lock = new FileStream(path + ".lock", options);
        }
        catch (IOException e) when (e is not DirectoryNotFoundException)
        {
            throw new InvalidOperationException($"A server listens at {path} already: it holds {path}.lock. Stop it first, or choose another path.", e);
        }
    }

    /// <summary>Binds a socket, for this user alone. Nobody can connect before it listens.</summary>
    public void BindOwned(Socket socket)
    {
        File.Delete(_path); // a dead server's
        socket.Bind(new UnixDomainSocketEndPoint(_path));
        if (!OperatingSystem.IsWindows()) // there the folder's rights are what counts
            File.SetUnixFileMode(_path, Mine);
    }

    // The socket's file first, while the lock is still held. The lock's own file stays: deleting it would let two servers hold two locks.
    public void Dispose()
    {
        File.Delete(_path);
        _lock.Dispose();
    }
}
