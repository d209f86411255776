using System.Buffers;
using System.Buffers.Binary;
using System.Diagnostics;
using System.Security.Cryptography;

namespace Reloaded.Messaging;

/// <summary>A connection over datagrams. Each message is queued with its delivery.</summary>
/// <remarks>
/// One lock protects the <see cref="DatagramConnection"/>. One thread at a time sends what the connection has to send (<see cref="SendWaiting"/>), so datagrams leave in
/// the order of their numbers. It encrypts and writes them outside of the lock, and also sends what other threads add meanwhile.
/// </remarks>
internal sealed partial class UdpChannel : DatagramChannel, IThreadPoolWorkItem
{
    /// <summary>The size of a datagram with a challenge, in bytes.</summary>
    public const int MaxChallengeSize = DatagramFormat.SealedHeader + DatagramFormat.PartHeader + DatagramFormat.ChallengeSize + TrafficKey.TagSize;

    private readonly object _gate = new();
    private readonly IDatagramPort _port;
    private readonly ulong _id;
    private readonly SessionKeys? _keys;
    private readonly UdpOptions _options;
    private readonly DatagramCounters _counts;
    private readonly int _header;
    private readonly int _batch;
    private readonly DatagramConnection _connection;
    private readonly ReceiveWait<int> _receive;
    private readonly OneShotTimer _timer;
    private readonly TimeProvider _time;
    private readonly long _begun;
    private Memory<byte> _destination;
    private int _received;
    private Queue<FlushWait>? _flushes; // in the order of their ends
    private bool _isSealed;
    private int _held;
    private bool _isClosed;
    private TransportClosedException? _failure;

    public UdpChannel(IDatagramPort port, ulong id, SessionKeys? keys, UdpOptions options, DatagramCounters counts, string remoteName, TimeProvider time)
    {
        (_time, _begun) = (time, time.GetTimestamp());
        (_port, _id, _keys, _options, _counts, RemoteName) = (port, id, keys, options, counts, remoteName);
        _header = keys is null ? DatagramFormat.PlainHeader : DatagramFormat.SealedHeader;
        _batch = Math.Clamp(BatchSize / options.MaxDatagramSize, 1, MaxBatch);
        var overhead = _header + (keys is null ? 0 : TrafficKey.TagSize);
        _connection = new DatagramConnection(options.MaxDatagramSize - overhead, overhead, options, counts);
        _receive = new ReceiveWait<int>(_gate);
        _timer = new OneShotTimer(time, Tick, counts.CountFailure);
    }

    public override string RemoteName { get; }

    public override string? RemoteIdentity => Identity;

    /// <summary>The identity of the other machine, or <see langword="null"/> if the other side is on this machine.</summary>
    public string? Identity { get; init; }

    /// <summary>The memory of all connections of the listener, or <see langword="null"/> on a client.</summary>
    public HeldMemory? Total { get; init; }

    /// <summary>The memory that the other side made this channel hold, in bytes, as of the last datagram or read.</summary>
    public int HeldBytes => Volatile.Read(ref _held);

    public override int MaxMessageSize => _connection.MaxMessageSize;

    public override int MaxReliableMessageSize => int.MaxValue;

    public override string MaxMessageSizeAdvice => _options.MaxFragments == 1
        ? "Send less at a time, send the event by DeliveryMode.ReliableOrdered, or have maxFragments of MessageEndpoint.Udp divide it."
        : $"Send less at a time, send the event by DeliveryMode.ReliableOrdered, or raise maxFragments of MessageEndpoint.Udp from {_options.MaxFragments}.";

    public override PathStatistics? Path
    {
        get
        {
            lock (_gate)
                return _connection.Path;
        }
    }

    public override long? AcknowledgedProgress
    {
        get
        {
            lock (_gate)
                return _connection.AcknowledgedProgress;
        }
    }

    public override long OutdatedDatagrams
    {
        get
        {
            lock (_gate)
                return _connection.Outdated;
        }
    }

    public override int LostFrames
    {
        get
        {
            lock (_gate)
                return _connection.UnconfirmedFrames;
        }
    }

    /// <summary>The current time, which is read before the lock is taken, because the clock may be code of the program.</summary>
    private long Now => _time.GetElapsedTime(_begun).Ticks;

    public override ValueTask<int> ReceiveAsync(Memory<byte> buffer, CancellationToken cancellationToken)
    {
        cancellationToken.ThrowIfCancellationRequested();
        int size;
        bool hasNewRoom, waits;
        lock (_gate)
        {
            size = _connection.Read(buffer.Span);
            if (size == 0 && _failure is not null)
                throw new TransportClosedException(_failure.Reason, _failure.Message, _failure);
            NoteHeldLocked();
            hasNewRoom = _connection.HasNewRoom;
            waits = size == 0 && !_connection.IsClosed;
            if (waits)
            {
                _destination = buffer;
                _receive.Begin(cancellationToken);
            }
        }

        if (hasNewRoom)
            SendWaiting();
        return waits ? _receive.AsTask() : new ValueTask<int>(size);
    }

    public override void Abort() => Close();

    public override ValueTask DisposeAsync()
    {
        Close();
        return default;
    }

    /// <summary>Ends the connection. Later sends throw an exception with the reason, and so do receives. After the loss of the connection, receives first return what has arrived.</summary>
    public void Fail(TransportCloseReason reason, string message) => End(new TransportClosedException(reason, message), keepsReceived: reason == TransportCloseReason.ConnectionLost);

    /// <summary>Whether the last datagram of <see cref="Take"/> was newer than all others. Only the thread that receives uses it.</summary>
    public bool IsNewest => _connection.IsNewest;

    /// <summary>The response to a challenge in the last datagram of <see cref="Take"/>. Only the thread that receives uses it.</summary>
    public ulong? Response => _connection.Response;

    /// <summary>Continues at another address of the other side.</summary>
    /// <param name="isNewPath">Whether nothing is known of the path.</param>
    public void Continue(bool isNewPath)
    {
        lock (_gate)
        {
            if (isNewPath)
                _connection.ForgetPath();
            _connection.NoteAddressChange();
        }

        SendWaiting();
    }

    /// <summary>Handles a datagram of this connection. Called by one thread at a time.</summary>
    /// <param name="datagram">The whole datagram.</param>
    /// <param name="scratch">Memory of at least the same size.</param>
    /// <param name="isTheirs">Whether the other side sent the datagram, as far as the protection can verify that.</param>
    /// <returns>Whether the caller must call <see cref="CompleteReceive"/>, as its last step.</returns>
    public bool Take(ReadOnlySpan<byte> datagram, Span<byte> scratch, out bool isTheirs)
    {
        isTheirs = false;
        if (_keys is null)
        {
            isTheirs = datagram[0] == DatagramFormat.Plain && datagram.Length > DatagramFormat.PlainHeader;
            if (isTheirs)
                return TakeBody(BinaryPrimitives.ReadUInt64LittleEndian(datagram.Slice(DatagramFormat.IdHeader)), datagram.Slice(DatagramFormat.PlainHeader));
            _counts.CountDropped(DatagramDropReason.Malformed);
            return false;
        }

        if (datagram[0] != DatagramFormat.Sealed || datagram.Length < DatagramFormat.SealedHeader + TrafficKey.TagSize + 1)
        {
            _counts.CountDropped(datagram[0] == DatagramFormat.Sealed ? DatagramDropReason.Malformed : DatagramDropReason.Forged);
            return false;
        }

        var packet = datagram.Slice(DatagramFormat.SealedHeader);
        var plain = scratch.Slice(0, packet.Length - TrafficKey.TagSize);
        var number = BinaryPrimitives.ReadUInt64LittleEndian(datagram.Slice(DatagramFormat.IdHeader + 1));
        var status = _keys.Opener.TryOpen(datagram[DatagramFormat.IdHeader], number, packet, plain);
        if (status != OpenStatus.Ok)
        {
            _counts.CountDropped(status == OpenStatus.Closed ? DatagramDropReason.UnknownConnection : DatagramDropReason.Forged);
            return false;
        }

        isTheirs = true;
        var completes = TakeBody(number, plain);
        CryptographicOperations.ZeroMemory(plain);
        return completes;
    }

    /// <summary>Completes the pending receive, on the calling thread.</summary>
    public void CompleteReceive() => _receive.SetResult(_received);

    /// <summary>Completes the pending receive on the thread pool.</summary>
    public void Execute() => CompleteReceive();

    private bool TakeBody(ulong number, ReadOnlySpan<byte> body)
    {
        var now = Now;
        var completes = false;
        lock (_gate)
        {
            if (_isClosed || _failure is not null)
            {
                _counts.CountDropped(DatagramDropReason.UnknownConnection);
                return false;
            }

            _connection.Receive(number, body, now);
            if ((_connection.IsReadable || _connection.IsClosed) && _receive.TryTake())
            {
                completes = true;
                _received = _connection.Read(_destination.Span);
            }

            NoteHeldLocked();
        }

        try
        {
            SendWaiting();
        }
        catch (Exception e)
        {
            _counts.CountFailure(e); // caught here, because a receive that was already taken must be completed
        }

        return completes;
    }

    private void NoteHeldLocked()
    {
        if (Total is null)
            return; // a client adds up nothing
        var held = _failure is null ? _connection.HeldBytes : 0;
        if (held == _held)
            return;
        Total.Add(held - _held);
        _held = held;
    }

    private bool HasEndedLocked() => _isClosed || _failure is not null || _connection.IsClosed;

    private void Tick()
    {
        var now = Now;
        lock (_gate)
        {
            _timerAt = long.MaxValue;
            if (HasEndedLocked())
                return;
            _connection.Tick(now);
        }

        SendWaiting();
    }

    private void ThrowIfClosedLocked()
    {
        Debug.Assert(Monitor.IsEntered(_gate));
        if (_failure is not null)
            throw new TransportClosedException(_failure.Reason, _failure.Message, _failure);
        if (_connection.IsClosed)
            throw new TransportClosedException($"{RemoteName} has closed the connection. Connect again.");
    }

    /// <summary>Sends the close three times, because it is not acknowledged, and frees all resources.</summary>
    private void Close()
    {
        var now = Now;
        Span<Unsent> unsent = stackalloc Unsent[3];
        var datagram = ArrayPool<byte>.Shared.Rent(unsent.Length * _options.MaxDatagramSize);
        bool informs;
        lock (_gate)
        {
            if (_isClosed)
            {
                ArrayPool<byte>.Shared.Return(datagram);
                return;
            }

            _isClosed = true;
            informs = _failure is null or { Reason: TransportCloseReason.NotReading } && !_connection.IsClosed;
            for (var i = 0; i < unsent.Length && informs; i++)
            {
                var number = _connection.NextNumber;
                unsent[i] = new Unsent(number, _connection.WriteClose(datagram.AsSpan((i * _options.MaxDatagramSize) + _header), now));
            }
        }

        for (var i = 0; i < unsent.Length && informs; i++)
            Send(datagram.AsSpan(i * _options.MaxDatagramSize, _options.MaxDatagramSize), unsent[i]);
        ArrayPool<byte>.Shared.Return(datagram);
        End(TransportClosedException.Here(RemoteName), keepsReceived: false);
        _timer.Stop();
        _port.Release(this);
        _keys?.Dispose();
    }

    /// <summary>Ends pending flushes and a pending receive, and zeroes the held bytes. The first failure stays.</summary>
    private void End(TransportClosedException failure, bool keepsReceived)
    {
        bool endsReceive;
        lock (_gate)
        {
            _failure ??= failure;
            _connection.Clear(keepsReceived);
            NoteHeldLocked();
            endsReceive = _receive.TryTake();
            CompleteFlushesLocked();
        }

        BytesLeft?.Invoke();
        if (endsReceive)
            _receive.SetException(failure);
    }
}
