using System.Net.Sockets;
using System.Runtime.CompilerServices;
using System.Runtime.InteropServices;

namespace Reloaded.Messaging.Polyfills;

/// <summary>The sends of one stream socket, one at a time, with one reused operation. A cancelled send disposes the socket, because a part of its bytes may already be sent.</summary>
internal sealed class SocketSender : SocketAsyncEventArgs
{
    /// <summary>The largest send that is written without an asynchronous operation, in bytes. A socket that can be written has room for more.</summary>
    private const int MaxAtOnce = 4096;

    private readonly Socket _socket;
    private readonly object _gate = new();
    private readonly ReceiveWait<bool> _wait;
    private bool _isClosed;

    public SocketSender(Socket socket)
    {
        _socket = socket;
        _wait = new ReceiveWait<bool>(_gate) { KeepsRegistration = true };
    }

    /// <summary>Sends a few bytes at once, if the system has room for them.</summary>
    /// <remarks>Mono allocates for each asynchronous operation, and not here. A socket in non-blocking mode is not used: Mono repeats its sends without a pause while the system has no room.</remarks>
    /// <returns>The number of bytes sent; 0 if <see cref="SendAsync"/> must be used.</returns>
    public int SendAtOnce(ReadOnlyMemory<byte> bytes)
    {
        if (bytes.Length > MaxAtOnce || !MemoryMarshal.TryGetArray(bytes, out var array) || !_socket.Poll(0, SelectMode.SelectWrite))
            return 0;
        var sent = _socket.Send(array.Array!, array.Offset, array.Count, SocketFlags.None, out var error);
        return error == SocketError.Success ? sent : throw new SocketException((int)error);
    }

    /// <summary>Sends bytes.</summary>
    /// <returns>The number of bytes sent.</returns>
    [AsyncMethodBuilder(typeof(PoolingAsyncValueTaskMethodBuilder<>))]
    public async ValueTask<int> SendAsync(ReadOnlyMemory<byte> bytes, CancellationToken cancellationToken)
    {
        cancellationToken.ThrowIfCancellationRequested();
        Begin(bytes, cancellationToken);
        try
        {
            await _wait.AsVoidTask().ConfigureAwait(false);
        }
        catch (OperationCanceledException)
        {
            _socket.Dispose();
            throw;
        }

        lock (_gate)
            ObjectDisposedException.ThrowIf(_isClosed, _socket);
        return SocketError == SocketError.Success ? BytesTransferred : throw new SocketException((int)SocketError);
    }

    /// <summary>Ends the pending wait. Called after the socket was disposed.</summary>
    public void Close()
    {
        lock (_gate)
            _isClosed = true;
        Complete();
    }

    /// <summary>Ends the registration at the last cancellation token. A cancellation no longer disposes the socket.</summary>
    public void Stop() => _wait.Stop();

    protected override void OnCompleted(SocketAsyncEventArgs e) => Complete();

    private void Begin(ReadOnlyMemory<byte> bytes, CancellationToken cancellationToken)
    {
        if (!MemoryMarshal.TryGetArray(bytes, out var array))
            array = new ArraySegment<byte>(bytes.ToArray());
        lock (_gate)
        {
            ObjectDisposedException.ThrowIf(_isClosed, _socket);
            _wait.Begin(cancellationToken);
        }

        SetBuffer(array.Array, array.Offset, array.Count);
        try
        {
            if (!_socket.SendAsync(this))
                Complete();
        }
        catch
        {
            lock (_gate)
                _wait.TryTake();
            throw;
        }
    }

    private void Complete()
    {
        bool isTaken;
        lock (_gate)
            isTaken = _wait.TryTake();
        if (isTaken)
            _wait.SetResult(true);
    }
}
