using System.Net;
using System.Net.Sockets;

namespace Reloaded.Messaging.Simulation;

/// <summary>A socket of the world, with the members of <see cref="Socket"/> that the library calls.</summary>
/// <remarks>
/// A stream behaves as TCP on Linux: bytes arrive in order and in pieces; a close with unread bytes, and a write to a closed end, reset the connection.
/// A datagram is lost, delayed, doubled or dropped by a full buffer, as the <see cref="Network"/> says.
/// </remarks>
[StandsInFor(typeof(Socket))]
public sealed class SimulatedSocket(AddressFamily addressFamily, SocketType socketType, ProtocolType protocolType) : IDisposable
{
    private const int DatagramRoom = 212_992; // net.core.rmem_default of Linux

    private readonly ProtocolType _protocol = protocolType;
    private readonly Queue<SimulatedSocket> _backlog = new();
    private readonly Queue<(byte[] Bytes, IPEndPoint From)> _datagrams = new();
    private readonly Incoming _incoming = new();
    private TaskCompletionSource<SimulatedSocket>? _accepting;
    private TaskCompletionSource<int>? _sending;
    private ReadOnlyMemory<byte> _unsent;
    private int _accepted;
    private SimulatedSocket? _other;
    private IPEndPoint? _local;
    private IPEndPoint? _remote;
    private SocketError _error;
    private readonly Queue<Action> _carried = new(); // bytes and ends on their way to the other side, in order
    private long _lastArrival;
    private long _sent; // bytes that were accepted
    private int _underway; // bytes that were accepted and were not read by the other side
    private int _queuedDatagrams;
    private bool _isListening;
    private bool _hasShutDown;
    private bool _isDisposed;
    private bool _isUnreachable;

    public AddressFamily AddressFamily => addressFamily;

    public bool NoDelay { get; set; }

    public bool ExclusiveAddressUse { get; set; }

    public int ReceiveBufferSize { get; set; }

    /// <summary>There is none. The library reads it on Windows, to cancel what waits before it closes a socket.</summary>
    public SafeSocketHandle SafeHandle => throw new PlatformNotSupportedException("The simulated sockets are those of Linux.");

    public EndPoint? LocalEndPoint => _local;

    public EndPoint? RemoteEndPoint => _remote;

    public int Available
    {
        get
        {
            ObjectDisposedException.ThrowIf(_isDisposed, this);
            return _incoming.Count;
        }
    }

    internal int Id { get; } = Network.NextId();

    internal SimulatedProcess? Process { get; } = World.Current;

    internal SocketType Kind => socketType;

    internal bool IsStream => _other is not null;

    internal int LocalPort => _local?.Port ?? 0;

    /// <summary>Whether this is a socket of datagrams with one remote side.</summary>
    internal bool IsClientOfDatagrams => Kind == SocketType.Dgram && _remote is not null;

    /// <summary>Has the network give the socket another port.</summary>
    internal void Rebind(int port) => _local = new IPEndPoint(IPAddress.Loopback, port);

    public override string ToString() => $"{Process?.Name}:{LocalPort}-{_remote?.Port}";

    public void Bind(EndPoint local)
    {
        _local = new IPEndPoint(IPAddress.Loopback, Network.Bind(this, ((IPEndPoint)local).Port));
        Network.Opened(this);
    }

    public void Listen() => _isListening = true;

    public async ValueTask ConnectAsync(EndPoint remote, CancellationToken cancellationToken)
    {
        await WhileAliveAsync().ConfigureAwait(false);
        _remote = (IPEndPoint)remote;
        _local ??= new IPEndPoint(IPAddress.Loopback, socketType == SocketType.Dgram ? Network.Bind(this, 0) : Network.NextPort());
        Network.Opened(this);
        if (socketType == SocketType.Dgram)
            return;
        var connected = new TaskCompletionSource();
        World.After(Network.Delay() + Network.HeldTime, Process, () => Knock(connected));
        await connected.Task.WaitAsync(cancellationToken).ConfigureAwait(false);
    }

    public async ValueTask<SimulatedSocket> AcceptAsync(CancellationToken cancellationToken)
    {
        await WhileAliveAsync().ConfigureAwait(false);
        ObjectDisposedException.ThrowIf(_isDisposed, this);
        if (_backlog.TryDequeue(out var waiting))
            return waiting;
        var accepting = _accepting = new TaskCompletionSource<SimulatedSocket>();
        using var registration = cancellationToken.UnsafeRegister(static state => ((TaskCompletionSource<SimulatedSocket>)state!).TrySetCanceled(), accepting);
        return await accepting.Task.ConfigureAwait(false);
    }

    public async ValueTask<int> SendAsync(ReadOnlyMemory<byte> bytes, SocketFlags flags, CancellationToken cancellationToken)
    {
        await WhileAliveAsync().ConfigureAwait(false);
        cancellationToken.ThrowIfCancellationRequested();
        ThrowIfEnded();
        if (_hasShutDown || _other is null)
            throw new SocketException((int)SocketError.Shutdown);
        _unsent = bytes;
        _accepted = 0;
        Accept();
        if (_unsent.IsEmpty)
            return bytes.Length;
        var sending = _sending = new TaskCompletionSource<int>();
        using var registration = cancellationToken.UnsafeRegister(_ => Take(ref _sending)?.TrySetCanceled(cancellationToken), null);
        return await sending.Task.ConfigureAwait(false);
    }

    public async ValueTask<int> ReceiveAsync(Memory<byte> buffer, SocketFlags flags, CancellationToken cancellationToken)
    {
        await WhileAliveAsync().ConfigureAwait(false);
        cancellationToken.ThrowIfCancellationRequested();
        ObjectDisposedException.ThrowIf(_isDisposed, this);
        if (socketType == SocketType.Dgram)
            return await ReceiveFromAsync(buffer, flags, new SocketAddress(addressFamily), cancellationToken).ConfigureAwait(false);
        if (_incoming.Count == 0)
        {
            ThrowIfEnded();
            if (_incoming.HasEnded)
                return 0;
            await _incoming.WaitAsync(cancellationToken).ConfigureAwait(false);
            ObjectDisposedException.ThrowIf(_isDisposed, this);
        }

        var size = _incoming.Read(buffer.Span);
        if (!_hasShutDown) // a side that has said its end only discards
            Network.UnreadBytes -= size;
        if (size > 0 && _other is { } other)
            World.After(Network.Delay() + Network.HeldTime, other.Process, () => other.NoteRead(size));
        return size;
    }

    public async ValueTask<int> ReceiveFromAsync(Memory<byte> buffer, SocketFlags flags, SocketAddress from, CancellationToken cancellationToken = default)
    {
        await WhileAliveAsync().ConfigureAwait(false);
        ObjectDisposedException.ThrowIf(_isDisposed, this);
        if (_error != SocketError.Success)
            ThrowError();
        if (_datagrams.Count == 0)
        {
            await _incoming.WaitAsync(cancellationToken).ConfigureAwait(false);
            ObjectDisposedException.ThrowIf(_isDisposed, this);
            if (_error != SocketError.Success)
                ThrowError();
        }

        var (bytes, sender) = _datagrams.Dequeue();
        _queuedDatagrams -= bytes.Length;
        if (bytes.Length > buffer.Length)
            throw new SocketException((int)SocketError.MessageSize);
        bytes.CopyTo(buffer);
        var address = sender.Serialize();
        from.Size = address.Size;
        address.Buffer.Span.Slice(0, address.Size).CopyTo(from.Buffer.Span);
        return bytes.Length;

        void ThrowError()
        {
            var error = _error;
            _error = SocketError.Success;
            throw new SocketException((int)error);
        }
    }

    public int Send(ReadOnlySpan<byte> datagram, SocketFlags flags)
    {
        ObjectDisposedException.ThrowIf(_isDisposed, this);
        SendDatagram(datagram, _remote!);
        return datagram.Length;
    }

    public int SendTo(ReadOnlySpan<byte> datagram, SocketFlags flags, SocketAddress to)
    {
        ObjectDisposedException.ThrowIf(_isDisposed, this);
        SendDatagram(datagram, (IPEndPoint)new IPEndPoint(IPAddress.Any, 0).Create(to));
        return datagram.Length;
    }

    public void Shutdown(SocketShutdown how)
    {
        ThrowIfEnded();
        if (_hasShutDown)
            return;
        _hasShutDown = true;
        SendEnd();
    }

    public void Dispose()
    {
        if (_isDisposed)
            return;
        var wasUnread = _incoming.Count > 0;
        if (wasUnread && Process is { EndsConnections: false })
            Network.AbandonedBytes += _incoming.Count;
        _isDisposed = true;
        Network.Closed(this);
        while (_backlog.TryDequeue(out var waiting))
            waiting.Dispose();
        if (_other is not null && _error == SocketError.Success)
        {
            if (wasUnread)
                SendReset();
            else if (!_hasShutDown)
                SendEnd();
        }

        Interrupt(SocketError.OperationAborted);
    }

    /// <summary>Closes the socket of a process that died.</summary>
    internal void CloseByDeath(bool isSilent)
    {
        if (isSilent)
        {
            _isUnreachable = true;
            Network.Closed(this);
            return;
        }

        (_accepting, _sending) = (null, null); // no code of the process continues
        _incoming.Forget();
        Dispose();
    }

    /// <summary>Ends the stream on both sides, as a router does that has lost its state.</summary>
    internal void ResetByNetwork()
    {
        var other = _other;
        World.Post(Process, () => TakeReset(SocketError.ConnectionReset));
        if (other is not null)
            World.Post(other.Process, () => other.TakeReset(SocketError.ConnectionReset));
    }

    /// <summary>Completes never for code of a process that has died, and at once for other code.</summary>
    private Task WhileAliveAsync() => Process is { IsDead: true } ? new TaskCompletionSource().Task : Task.CompletedTask;

    private static TaskCompletionSource<T>? Take<T>(ref TaskCompletionSource<T>? field)
    {
        var taken = field;
        field = null;
        return taken;
    }

    private void Knock(TaskCompletionSource connected)
    {
        var listener = Network.Find(SocketType.Stream, _remote!);
        if (listener is not { _isListening: true } || listener._isDisposed)
        {
            connected.TrySetException(new SocketException((int)SocketError.ConnectionRefused));
            return;
        }

        var current = World.Current;
        World.Current = listener.Process;
        var accepted = new SimulatedSocket(addressFamily, SocketType.Stream, _protocol) { _local = listener._local, _remote = _local, _other = this };
        World.Current = current;
        Network.Opened(accepted);
        Network.Accepted();
        _other = accepted;
        World.Post(listener.Process, () => listener.Offer(accepted));
        connected.TrySetResult();
    }

    private void Offer(SimulatedSocket accepted)
    {
        if (_isDisposed)
            accepted.Dispose();
        else if (Take(ref _accepting) is not { } accepting || !accepting.TrySetResult(accepted))
            _backlog.Enqueue(accepted);
    }

    /// <summary>Takes bytes from the sender while there is room.</summary>
    private void Accept()
    {
        while (!_unsent.IsEmpty && _underway < Network.Room)
        {
            var size = Math.Min(Math.Min(_unsent.Length, Network.Room - _underway), 1 + World.Random.Next(Network.MaxPieceAt(_sent)));
            var piece = _unsent.Slice(0, size).ToArray();
            _unsent = _unsent.Slice(size);
            _accepted += size;
            _underway += size;
            _sent += size;
            Network.UnreadBytes += size;
            var other = _other!;
            Carry(() => other.Arrive(piece));
        }
    }

    /// <summary>Carries something to the other side, after everything that was sent before.</summary>
    private void Carry(Action arrive)
    {
        _carried.Enqueue(arrive);
        _lastArrival = Math.Max(_lastArrival + 1, World.Now + Network.Delay() + Network.HeldTime);
        World.After(_lastArrival - World.Now, _other!.Process, ArriveNext);
    }

    private void ArriveNext()
    {
        if (Network.IsPartitioned) // it began after the bytes had left
            World.After(Network.HeldTime, _other!.Process, ArriveNext);
        else if (_carried.Dequeue() is var arrive && !_other!._isUnreachable && !_isUnreachable)
            arrive();
    }

    private void Arrive(byte[] piece)
    {
        if (_isDisposed)
            SendReset();
        else if (_error == SocketError.Success)
            _incoming.Add(piece);
    }

    private void NoteRead(int size)
    {
        _underway -= size;
        if (_sending is null || _error != SocketError.Success || _isDisposed)
            return;
        Accept();
        if (_unsent.IsEmpty)
            Take(ref _sending)?.TrySetResult(_accepted);
    }

    private void SendEnd()
    {
        var other = _other!;
        Carry(() => other._incoming.End());
    }

    private void SendReset()
    {
        var other = _other!;
        Carry(() => other.TakeReset(SocketError.ConnectionReset));
    }

    private void TakeReset(SocketError error)
    {
        if (_isDisposed || _error != SocketError.Success || _isUnreachable)
            return;
        if (Network.ResetsDiscard)
            _incoming.Discard();
        Interrupt(error);
    }

    private void Interrupt(SocketError error)
    {
        _error = error;
        Take(ref _accepting)?.TrySetException(new SocketException((int)error));
        Take(ref _sending)?.TrySetException(new SocketException((int)error));
        _incoming.Fail(error);
    }

    private void ThrowIfEnded()
    {
        ObjectDisposedException.ThrowIf(_isDisposed, this);
        if (_error != SocketError.Success)
            throw new SocketException((int)_error);
    }

    private void SendDatagram(ReadOnlySpan<byte> datagram, IPEndPoint to)
    {
        if (Network.IsPartitioned || _isUnreachable)
            return;
        var (bytes, from) = (datagram.ToArray(), _local!);
        Network.Carry(Process!, bytes.Length, () => DeliverDatagram(bytes, from, to));
    }

    private void DeliverDatagram(byte[] bytes, IPEndPoint from, IPEndPoint to)
    {
        if (Network.Find(SocketType.Dgram, to) is not { } receiver || receiver._isUnreachable)
        {
            if (_remote is not null && !_isDisposed) // the system tells a connected socket that the port is closed
                World.Post(Process, () => TakeDatagramError(SocketError.ConnectionRefused));
            return;
        }

        if ((receiver._remote is { } only && !only.Equals(from)) || receiver._queuedDatagrams + bytes.Length > DatagramRoom)
            return;
        World.Post(receiver.Process, () => receiver.TakeDatagram(bytes, from));
    }

    private void TakeDatagram(byte[] bytes, IPEndPoint from)
    {
        if (_isDisposed)
            return;
        _datagrams.Enqueue((bytes, from));
        _queuedDatagrams += bytes.Length;
        _incoming.Wake();
    }

    private void TakeDatagramError(SocketError error)
    {
        if (_isDisposed)
            return;
        _error = error;
        _incoming.Wake();
    }
}
