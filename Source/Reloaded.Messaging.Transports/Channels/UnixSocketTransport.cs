using System.IO;
using System.Net.Sockets;
using System.Text;

namespace Reloaded.Messaging;

/// <summary>Connects hosts through Unix sockets. On systems other than Windows, it also implements named pipes, under another scheme.</summary>
/// <param name="scheme">The scheme of its addresses.</param>
/// <param name="keepsLock">Whether the lock file stays after a listener is disposed. <see langword="false"/> for paths at which no other server will listen.</param>
internal sealed class UnixSocketTransport(string scheme = "unix", bool keepsLock = true) : Transport
{
    /// <summary>The maximum length of a path on Linux, in bytes, without the terminating zero. Mono adds a zero to the address, and accepts no address of the full length.</summary>
    internal static readonly int MaxPathBytes = ThisRuntime.IsDotNet ? 107 : 106;

    public static readonly UnixSocketTransport Instance = new();

    public override string Scheme => scheme;

    public override bool IsLocal => true;

    /// <summary>Returns the full path of a socket.</summary>
    /// <exception cref="PathTooLongException">Thrown when the path is longer than 107 bytes (Mono: 106).</exception>
    public static string GetFullPath(string path)
    {
        ArgumentException.ThrowIfNullOrWhiteSpace(path);
        var full = Path.GetFullPath(path);
        var size = Encoding.UTF8.GetByteCount(full);
        if (size > MaxPathBytes)
        {
            throw new PathTooLongException(
                $"'{full}' is {size} bytes long; the path of a Unix socket has at most {MaxPathBytes}. Choose a shorter folder or name.");
        }

        return full;
    }

    public override ValueTask<TransportListener> ListenAsync(TransportAddress address, TransportContext context) => new(ListenAt(address, keepsLock));

    public override ValueTask<TransportChannel> ConnectAsync(TransportAddress address, TransportContext context, CancellationToken cancellationToken) =>
        SocketConnector.ConnectAsync(address, EndPointOf(address), cancellationToken);

    /// <summary>Listens at a path. Locks the path first, so that the file of a running server is never deleted. The permissions of the socket file are set before any client can connect.</summary>
    private static SocketListener ListenAt(TransportAddress address, bool keepsLock)
    {
        var endPoint = EndPointOf(address); // first, so that no lock file is created on a system without Unix sockets
        var path = new UnixSocketFile(address.Name, keepsLock);
        var socket = new Socket(AddressFamily.Unix, SocketType.Stream, ProtocolType.Unspecified);
        try
        {
            path.BindOwned(socket, endPoint);
            socket.Listen();
            return new SocketListener(socket, address, path);
        }
        catch
        {
            socket.Dispose();
            path.Dispose();
            throw;
        }
    }

    /// <exception cref="PlatformNotSupportedException">Thrown when the system has no Unix sockets.</exception>
    private static UnixDomainSocketEndPoint EndPointOf(TransportAddress address)
    {
        try
        {
            return new UnixDomainSocketEndPoint(address.Name);
        }
        catch (PlatformNotSupportedException e)
        {
            throw new PlatformNotSupportedException($"This system has no Unix sockets, and the endpoint is {address}. Wine has none. Use MessageEndpoint.Pipe, MessageEndpoint.OfProcess, or MessageEndpoint.Tcp with MessageHostOptions.Token.", e);
        }
    }
}

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
