using System.Net.Sockets;
using System.Runtime.CompilerServices;

namespace Reloaded.Messaging;

/// <summary>A connected stream socket, for TCP and for Unix sockets. On this target, its operations avoid the defects of Mono.</summary>
internal sealed class SocketChannel(Socket socket, string remoteName, string? remoteIdentity) : TransportChannel
{
    /// <summary>The time for which disposing waits until the other end closes.</summary>
    private static readonly TimeSpan s_linger = TimeSpan.FromSeconds(1);

    /// <summary>The maximum size of one write, in bytes. A large send is split, so that <see cref="SentBytes"/> grows during it.</summary>
    private const int MaxWrite = 64 * 1024;

    private readonly SocketReceiver _receiver = new(socket);
    private readonly SocketSender _sender = new(socket);
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
                return _receiver.HasUnread || socket.Available > 0;
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
                cancellationToken.ThrowIfCancellationRequested();
                var sent = _sender.SendAtOnce(frames);
                if (sent == 0)
                    sent = await _sender.SendAsync(frames.Slice(0, Math.Min(frames.Length, MaxWrite)), cancellationToken).ConfigureAwait(false);

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
            int received;
            while (!_receiver.TryRead(buffer.Span, out received))
                await _receiver.WaitAsync(cancellationToken).ConfigureAwait(false);
            return received;
        }
        catch (Exception e) when (e is SocketException or ObjectDisposedException)
        {
            throw new TransportClosedException($"Receiving from {remoteName} failed: {e.Message}", e);
        }
    }

    public override void Abort()
    {
        socket.Dispose();
        _receiver.Close();
        _sender.Close();
    }

    public override async ValueTask DisposeAsync()
    {
        if (Interlocked.Exchange(ref _isDisposed, 1) != 0)
            return;
        _receiver.Close();
        try
        {
            socket.Shutdown(SocketShutdown.Send); // the system delivers sent bytes before the end
            using var deadline = new CancellationTokenSource(s_linger);
            while (!_receiver.TryDiscard())
                await _receiver.WaitForDiscardAsync(deadline.Token).ConfigureAwait(false); // closing a socket with unread bytes would reset the connection, and sent bytes might be lost
        }
        catch (Exception e) when (e is SocketException or ObjectDisposedException or OperationCanceledException)
        {
            // The socket was already closed, or the other end did not close in time. The connection ends now.
            _ = e;
        }

        Abort();
        _receiver.Stop();
        _sender.Stop();
    }
}
