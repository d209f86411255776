using System.Net.Sockets;
using System.Runtime.CompilerServices;
using System.Runtime.InteropServices;

namespace Reloaded.Messaging;

/// <summary>A connected stream socket, for TCP and for Unix sockets.</summary>
internal sealed class SocketChannel(Socket socket, string remoteName, string? remoteIdentity) : TransportChannel
{
    /// <summary>The time for which disposing waits until the other end closes.</summary>
    private static readonly TimeSpan s_linger = TimeSpan.FromSeconds(1);

    /// <summary>The maximum size of one write, in bytes. A large send is split, so that <see cref="SentBytes"/> grows during it.</summary>
    private const int MaxWrite = 64 * 1024;

    private long _sent;
    private int _isDisposed;

    public override string RemoteName => remoteName;

    public override string? RemoteIdentity => remoteIdentity;

    public override long? SentBytes => Volatile.Read(ref _sent);

    public override bool HasUnread
    {
        get
        {
            try
            {
                return socket.Available > 0;
            }
            catch (Exception e) when (e is SocketException or ObjectDisposedException)
            {
                return false;
            }
        }
    }

    [AsyncMethodBuilder(typeof(PoolingAsyncValueTaskMethodBuilder))]
    public override async ValueTask SendAsync(ReadOnlyMemory<byte> frames, CancellationToken cancellationToken)
    {
        try
        {
            while (frames.Length > 0)
            {
                var sent = await socket.SendAsync(frames.Slice(0, Math.Min(frames.Length, MaxWrite)), SocketFlags.None, cancellationToken).ConfigureAwait(false);
                frames = frames.Slice(sent);
                Volatile.Write(ref _sent, _sent + sent);
            }
        }
        catch (Exception e) when (e is SocketException or ObjectDisposedException)
        {
            throw new TransportClosedException($"Sending to {remoteName} failed: {e.Message}", e);
        }
    }

    [AsyncMethodBuilder(typeof(PoolingAsyncValueTaskMethodBuilder<>))]
    public override async ValueTask<int> ReceiveAsync(Memory<byte> buffer, CancellationToken cancellationToken)
    {
        try
        {
            var received = await socket.ReceiveAsync(buffer, SocketFlags.None, cancellationToken).ConfigureAwait(false);
            return received == 0 || Volatile.Read(ref _isDisposed) == 0 ? received : throw TransportClosedException.Here(remoteName); // bytes before these may have been dropped
        }
        catch (Exception e) when (e is SocketException or ObjectDisposedException)
        {
            throw new TransportClosedException($"Receiving from {remoteName} failed: {e.Message}", e);
        }
    }

    public override void Abort() => Close();

    public override async ValueTask DisposeAsync()
    {
        if (Interlocked.Exchange(ref _isDisposed, 1) != 0)
            return;
        try
        {
            socket.Shutdown(SocketShutdown.Send); // the system delivers sent bytes before the end
            using var deadline = new CancellationTokenSource(s_linger);
            var dropped = new byte[4096];
            while (await socket.ReceiveAsync(dropped, SocketFlags.None, deadline.Token).ConfigureAwait(false) > 0)
            {
                // Closing a socket with unread bytes resets the connection, and sent bytes that have not arrived would be lost.
            }
        }
        catch (Exception e) when (e is SocketException or ObjectDisposedException or OperationCanceledException)
        {
            // The socket was already closed, or the other end did not close in time. The connection ends now.
            _ = e;
        }

        Close();
    }

    /// <summary>Closes the socket, which ends its pending operations. Under Wine, a socket with a pending send remains open, and only canceling ends its operations.</summary>
    private void Close()
    {
        try
        {
            if (OperatingSystem.IsWindows())
                _ = CancelIo(socket.SafeHandle, 0);
        }
        catch (ObjectDisposedException)
        {
            return; // closed before
        }

        socket.Dispose();
    }

    /// <summary>Cancels all pending operations of the handle (zero: not only those of one record). It fails if there are none.</summary>
    [DllImport("kernel32", EntryPoint = "CancelIoEx"), DefaultDllImportSearchPaths(DllImportSearchPath.System32)]
    private static extern bool CancelIo(SafeHandle handle, nint operation);
}
