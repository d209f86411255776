using System.Net.Sockets;

namespace Reloaded.Messaging.Polyfills;

/// <summary>The receives of one stream socket, one at a time, with one reused operation.</summary>
/// <remarks>
/// On Mono, <c>Socket.ReceiveAsync(Memory)</c> returns the number of bytes and does not write them (mono/mono#20902; fixed in Unity in 2024).
/// This class receives into an array of its own. A cancelled receive cannot be withdrawn from the system on this target: it continues, and the next
/// receive returns its bytes.
/// </remarks>
internal sealed class SocketReceiver : SocketAsyncEventArgs
{
    private const int Size = 16 * 1024;

    private readonly Socket _socket;
    private readonly object _gate = new();
    private readonly ReceiveWait<bool> _wait;
    private readonly ReceiveWait<bool> _discarding; // the wait of a caller that was interrupted may not have returned yet
    private byte[]? _array;
    private ReceiveThread? _thread; // null if the receives are asynchronous operations
    private int _start;
    private int _end;
    private SocketError _failure;
    private bool _isReceiving;
    private bool _isAtEnd;
    private bool _isClosed;

    public SocketReceiver(Socket socket)
    {
        _socket = socket;
        (_wait, _discarding) = (NewWait(), NewWait());
        ReceiveWait<bool> NewWait() => new(_gate, runsContinuationsAsynchronously: true) { KeepsRegistration = true };
    }

    /// <summary>Whether received bytes wait to be read.</summary>
    public bool HasUnread
    {
        get
        {
            lock (_gate)
                return _start < _end;
        }
    }

    /// <summary>Copies received bytes, and zeroes them in the array of this object. An empty target only tells that bytes have arrived: <c>SslStream</c> waits so.</summary>
    /// <returns><see langword="false"/> if there are none yet.</returns>
    /// <exception cref="SocketException">Thrown when the last receive failed.</exception>
    /// <exception cref="ObjectDisposedException">Thrown when this object was closed.</exception>
    public bool TryRead(Span<byte> target, out int received)
    {
        lock (_gate)
        {
            ObjectDisposedException.ThrowIf(_isClosed, _socket);
            received = Math.Min(_end - _start, target.Length);
            if (_start < _end)
            {
                var bytes = _array.AsSpan(_start, received);
                bytes.CopyTo(target);
                bytes.Clear();
                _start += received;
                return true;
            }

            return _failure == SocketError.Success ? _isAtEnd : throw new SocketException((int)_failure);
        }
    }

    /// <summary>Waits until <see cref="TryRead"/> has a result.</summary>
    public ValueTask WaitAsync(CancellationToken cancellationToken) => WaitAsync(_wait, cancellationToken);

    /// <summary>Ends the pending wait: the next <see cref="TryRead"/> throws. Mono may lose a receive that begins while the socket is disposed, so a waiting caller cannot rely on the system.</summary>
    public void Close()
    {
        lock (_gate)
            _isClosed = true;
        Complete(_wait);
        _wait.Stop();
    }

    /// <summary>Discards the received bytes. Called after <see cref="Close"/>.</summary>
    /// <returns>Whether there will be no further bytes.</returns>
    public bool TryDiscard()
    {
        lock (_gate)
        {
            _array.AsSpan(_start, _end - _start).Clear();
            _start = _end;
            return _isAtEnd || _failure != SocketError.Success;
        }
    }

    /// <summary>Waits until <see cref="TryDiscard"/> has bytes to discard, or returns <see langword="true"/>.</summary>
    public ValueTask WaitForDiscardAsync(CancellationToken cancellationToken) => WaitAsync(_discarding, cancellationToken);

    /// <summary>Ends the wait of <see cref="WaitForDiscardAsync"/>. Called after the socket was disposed.</summary>
    public void Stop()
    {
        lock (_gate)
            _isAtEnd = true;
        Complete(_discarding);
        _discarding.Stop();
        _thread?.Stop();
    }

    protected override void OnCompleted(SocketAsyncEventArgs e) => End(SocketError, BytesTransferred);

    private ValueTask WaitAsync(ReceiveWait<bool> wait, CancellationToken cancellationToken)
    {
        cancellationToken.ThrowIfCancellationRequested();
        bool starts;
        lock (_gate)
        {
            if ((_isClosed && wait == _wait) || _start < _end || _isAtEnd || _failure != SocketError.Success)
                return default;
            wait.Begin(cancellationToken);
            starts = !_isReceiving;
            _isReceiving = true;
        }

        if (starts)
            Start();
        return wait.AsVoidTask();
    }

    private void Complete(ReceiveWait<bool> wait)
    {
        bool isTaken;
        lock (_gate)
            isTaken = wait.TryTake();
        if (isTaken)
            wait.SetResult(true);
    }

    private void Start()
    {
        try
        {
            if (_array is null)
                Prepare();
            if (_thread is not null)
                _thread.Begin();
            else if (!_socket.ReceiveAsync(this))
                End(SocketError, BytesTransferred);
        }
        catch (SocketException e)
        {
            End(e.SocketErrorCode, 0);
        }
        catch (ObjectDisposedException)
        {
            End(SocketError.OperationAborted, 0);
        }
    }

    private void Prepare()
    {
        _array = new byte[Size];
        var thread = new ReceiveThread(_socket, _array, End);
        if (thread.TryStart())
            _thread = thread;
        else
            SetBuffer(_array, 0, Size);
    }

    private void End(SocketError error, int received)
    {
        lock (_gate)
        {
            _isReceiving = false;
            _failure = error;
            (_start, _end) = (0, received);
            _isAtEnd |= received == 0;
        }

        Complete(_wait);
        Complete(_discarding);
    }
}

/// <summary>A thread that receives from one socket. On Mono, each asynchronous receive allocates about 500 B; a blocking receive allocates nothing.</summary>
/// <param name="socket">The socket. Disposing it ends a receive that waits.</param>
/// <param name="array">The memory to receive into.</param>
/// <param name="received">Called on the thread after each receive.</param>
internal sealed class ReceiveThread(Socket socket, byte[] array, Action<SocketError, int> received)
{
    /// <summary>The maximum number of such threads in the process. A game has a few tools; a server with many clients uses asynchronous receives for the others.</summary>
    private const int MaxThreads = 32;

    private static int s_threads;

    private readonly object _gate = new();
    private bool _isWanted;
    private bool _isStopped;

    /// <summary>Starts the thread.</summary>
    /// <returns><see langword="false"/> if the process has the maximum number of such threads.</returns>
    public bool TryStart()
    {
        if (Interlocked.Increment(ref s_threads) > MaxThreads)
        {
            Interlocked.Decrement(ref s_threads);
            return false;
        }

        LibraryThread.Start("Reloaded.Messaging receive", Run);
        return true;
    }

    /// <summary>Begins one receive.</summary>
    public void Begin()
    {
        lock (_gate)
        {
            _isWanted = true;
            Monitor.Pulse(_gate);
        }
    }

    /// <summary>Ends the thread after a receive that waits.</summary>
    public void Stop()
    {
        lock (_gate)
        {
            _isStopped = true;
            Monitor.Pulse(_gate);
        }
    }

    private void Run()
    {
        while (WaitForBegin())
        {
            var (error, count) = Receive();
            received(error, count);
        }

        Interlocked.Decrement(ref s_threads);
    }

    private bool WaitForBegin()
    {
        lock (_gate)
        {
            while (!_isWanted && !_isStopped)
                Monitor.Wait(_gate);
            var begins = _isWanted;
            _isWanted = false;
            return begins;
        }
    }

    private (SocketError Error, int Count) Receive()
    {
        try
        {
            var count = socket.Receive(array, 0, array.Length, SocketFlags.None, out var error);
            return (error, count);
        }
        catch (ObjectDisposedException)
        {
            return (SocketError.OperationAborted, 0);
        }
        catch (SocketException e)
        {
            return (e.SocketErrorCode, 0); // Mono throws this in place of the error if the socket is disposed just before the call of the system
        }
    }
}
