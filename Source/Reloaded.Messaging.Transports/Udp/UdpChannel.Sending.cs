using System.Buffers;
using System.Buffers.Binary;
using System.Diagnostics;

namespace Reloaded.Messaging;

/// <content>Sending datagrams.</content>
internal sealed partial class UdpChannel
{
    private const int MaxBatch = 16;
    private const int BatchSize = 16 * 1024;

    private bool _isFlushing; // the thread that set it sends
    private long _timerAt = long.MaxValue;

    public override int PendingBytes
    {
        get
        {
            lock (_gate)
                return _connection.PendingBytes;
        }
    }

    public override bool TryQueue(ReadOnlySpan<byte> message, Delivery delivery, int maxPending, ReadOnlySpan<byte> before = default)
    {
        lock (_gate)
        {
            ThrowIfClosedLocked();
            if (_isSealed || !HasRoomLocked(before.Length + message.Length, delivery, maxPending))
                return false;
            if (!before.IsEmpty)
                QueueLocked(before, delivery);
            QueueLocked(message, delivery);
            return true;
        }
    }

    public override bool HasRoom(int size, Delivery delivery, int maxPending)
    {
        lock (_gate)
            return HasEndedLocked() || HasRoomLocked(size, delivery, maxPending);
    }

    public override void Flush()
    {
        lock (_gate)
            _connection.NoteFlushed();
        SendWaiting();
    }

    public override Task FlushAsync()
    {
        var wait = Task.CompletedTask;
        lock (_gate)
        {
            if (!HasEndedLocked())
            {
                var flush = new FlushWait(_connection.GetEnd(), _isSealed);
                (_flushes ??= []).Enqueue(flush);
                wait = flush.Completed.Task;
            }
        }

        Flush();
        return wait;
    }

    public override void Seal(ReadOnlySpan<byte> last)
    {
        lock (_gate)
        {
            _isSealed = true;
            if (!last.IsEmpty && !HasEndedLocked())
                _connection.Seal(last);
        }
    }

    /// <inheritdoc cref="DatagramConnection.Confirm"/>
    public void Confirm()
    {
        var now = Now;
        lock (_gate)
            _connection.Confirm(now);
        SendWaiting();
    }

    /// <summary>Sends what may be sent now, and sets the timer for the rest. Another thread that sends at the moment also sends what this thread has added.</summary>
    private void SendWaiting()
    {
        byte[]? datagrams = null;
        Span<Unsent> unsent = stackalloc Unsent[MaxBatch];
        var isOwner = false;
        try
        {
            while (true)
            {
                var now = Now;
                int count;
                long timer;
                lock (_gate)
                {
                    if (_isFlushing && !isOwner)
                        return;
                    datagrams ??= ArrayPool<byte>.Shared.Rent(_batch * _options.MaxDatagramSize);
                    CompleteFlushesLocked(); // before the next datagrams are written, because these are not sent yet
                    count = HasEndedLocked() ? 0 : WriteLocked(datagrams, unsent.Slice(0, _batch), now);
                    timer = count > 0 || HasEndedLocked() ? long.MaxValue : _connection.NextTimer(now);
                    isOwner = _isFlushing = count > 0 || timer < _timerAt;
                    if (isOwner && count == 0)
                        _timerAt = timer;
                }

                if (count > 0)
                    BytesLeft?.Invoke();
                if (!isOwner)
                    return;
                if (count == 0)
                    _timer.Set(TimeSpan.FromMilliseconds(Math.Max(1, Math.Ceiling((timer - now) / (double)TimeSpan.TicksPerMillisecond))));
                for (var i = 0; i < count; i++)
                    Send(datagrams.AsSpan(i * _options.MaxDatagramSize, _options.MaxDatagramSize), unsent[i]);
            }
        }
        catch when (isOwner)
        {
            lock (_gate)
                _isFlushing = false;
            throw;
        }
        finally
        {
            if (datagrams is not null)
                ArrayPool<byte>.Shared.Return(datagrams);
        }
    }

    private int WriteLocked(byte[] datagrams, Span<Unsent> unsent, long now)
    {
        Debug.Assert(Monitor.IsEntered(_gate));
        for (var count = 0; count < unsent.Length; count++)
        {
            var number = _connection.NextNumber;
            var size = _connection.Write(datagrams.AsSpan((count * _options.MaxDatagramSize) + _header), now);
            if (size == 0)
                return count;
            unsent[count] = new Unsent(number, size);
        }

        return unsent.Length;
    }

    /// <summary>Writes a datagram that asks the other side whether it receives at another address.</summary>
    /// <returns>The size.</returns>
    public int WriteChallenge(Span<byte> datagram, ulong challenge)
    {
        var now = Now;
        Unsent unsent;
        lock (_gate)
            unsent = new Unsent(_connection.NextNumber, _connection.WriteChallenge(datagram.Slice(_header), challenge, now));
        return Seal(datagram, unsent);
    }

    private void Send(Span<byte> datagram, Unsent unsent)
    {
        if (Seal(datagram, unsent) is > 0 and var size)
            _port.Send(datagram.Slice(0, size));
    }

    /// <summary>Adds the header to a datagram, and encrypts it.</summary>
    /// <returns>The size; 0 if the connection has ended.</returns>
    private int Seal(Span<byte> datagram, Unsent unsent)
    {
        var numberAt = DatagramFormat.IdHeader;
        datagram[0] = _keys is null ? DatagramFormat.Plain : DatagramFormat.Sealed;
        BinaryPrimitives.WriteUInt64LittleEndian(datagram.Slice(1), _id);
        var size = _header + unsent.Size;
        if (_keys is not null)
        {
            var plain = datagram.Slice(_header, unsent.Size);
            var epoch = _keys.Sealer.Seal(plain, datagram.Slice(_header, unsent.Size + TrafficKey.TagSize), unsent.Number);
            if (epoch < 0)
            {
                plain.Clear(); // the plaintext is in rented memory
                return 0;
            }

            datagram[numberAt++] = (byte)epoch;
            size += TrafficKey.TagSize;
        }

        BinaryPrimitives.WriteUInt64LittleEndian(datagram.Slice(numberAt), unsent.Number);
        return size;
    }

    private static int ChannelOf(Delivery delivery) => delivery.Mode switch
    {
        DeliveryMode.ReliableOrdered => 0,
        DeliveryMode.ReliableByType => 1 + (delivery.Order % (OrderedChannels.Count - 1)),
        _ => -1,
    };

    private bool HasRoomLocked(int size, Delivery delivery, int maxPending)
    {
        var channel = ChannelOf(delivery);
        var unsent = channel < 0 ? 0 : _connection.GetUnsentBytes(channel); // what may be lost makes room for itself
        return unsent == 0 || unsent + (long)size <= maxPending;
    }

    private void QueueLocked(ReadOnlySpan<byte> message, Delivery delivery)
    {
        Debug.Assert(Monitor.IsEntered(_gate));
        if (ChannelOf(delivery) is >= 0 and var channel)
            _connection.Append(channel, message, delivery.IsBarrier);
        else
            _connection.AddLoose(message, delivery.Mode == DeliveryMode.Sequenced ? delivery.Order : -1);
    }

    /// <summary>Completes the flushes whose messages were sent, in their order. Their continuations run on the thread pool.</summary>
    private void CompleteFlushesLocked()
    {
        while (_flushes is not null && _flushes.TryPeek(out var flush) && (HasEndedLocked() || (_connection.HasSent(flush.End) && (!flush.AwaitsLast || _connection.HasLastArrived))))
            _flushes.Dequeue().Completed.SetResult();
    }

    /// <summary>A datagram that was written and not sent yet.</summary>
    private readonly struct Unsent(ulong number, int size)
    {
        public ulong Number { get; } = number;

        public int Size { get; } = size;
    }

    /// <summary>A wait for what was queued before it.</summary>
    private sealed class FlushWait((ulong[] Channels, uint Loose) end, bool awaitsLast)
    {
        public (ulong[] Channels, uint Loose) End => end;

        /// <summary>Whether the wait ends when the last message has arrived.</summary>
        public bool AwaitsLast => awaitsLast;

        public TaskCompletionSource Completed { get; } = new(TaskCreationOptions.RunContinuationsAsynchronously);
    }
}

/// <summary>Sends the datagrams of a connection, through a private socket or a shared socket. Thread-safe.</summary>
internal interface IDatagramPort
{
    /// <summary>Sends a datagram. A datagram that cannot be sent is dropped.</summary>
    void Send(ReadOnlySpan<byte> datagram);

    /// <summary>Releases the port, because the connection has ended. Nothing more is sent.</summary>
    void Release(UdpChannel channel);
}
