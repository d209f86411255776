using System;
using System.Buffers;
using System.Buffers.Binary;
using System.Diagnostics;
using System.Runtime.CompilerServices;
using System.Threading;
using System.Threading.Tasks;

namespace Reloaded.Messaging;

/// <content>Sending datagrams.</content>
internal sealed partial class UdpChannel
{
    private const int MaxBatch = 16;
    private const int BatchSize = 16 * 1024;

    private bool _isFlushing; // the thread that set it sends
    private long _timerAt = long.MaxValue;

    public override ValueTask SendAsync(ReadOnlyMemory<byte> frames, Delivery delivery, CancellationToken cancellationToken)
    {
        if (frames.IsEmpty)
            return default;
        var taken = frames.Length;
        var channel = delivery.Mode == DeliveryMode.ReliableByType ? 1 + (delivery.Stream % (OrderedChannels.Count - 1)) : 0;
        lock (_gate)
        {
            ThrowIfClosedLocked();
            if (delivery.Mode is DeliveryMode.ReliableOrdered or DeliveryMode.ReliableByType)
                taken = _connection.AppendReliable(frames.Span, delivery.IsBarrier, channel);
            else
                _connection.AddLoose(frames.Span, delivery.Mode == DeliveryMode.Sequenced ? delivery.Stream : -1);
        }

        Flush();
        return taken < frames.Length || delivery.IsBarrier ? SendRestAsync(frames.Slice(taken), channel, delivery.IsBarrier, cancellationToken) : default;
    }

    /// <inheritdoc cref="DatagramConnection.Confirm"/>
    public void Confirm()
    {
        var now = Now;
        lock (_gate)
            _connection.Confirm(now);
        Flush();
    }

    /// <summary>Sends what may be sent now, and sets the timer for the rest. Another thread that sends at the moment also sends what this thread has added.</summary>
    private void Flush()
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
                PendingSend? send;
                lock (_gate)
                {
                    if (_isFlushing && !isOwner)
                        return;
                    datagrams ??= ArrayPool<byte>.Shared.Rent(_batch * _options.MaxDatagramSize);
                    count = HasEndedLocked() ? 0 : WriteLocked(datagrams, unsent.Slice(0, _batch), now);
                    send = TakeProgressLocked();
                    timer = count > 0 || HasEndedLocked() ? long.MaxValue : _connection.NextTimer(now);
                    isOwner = _isFlushing = count > 0 || timer < _timerAt;
                    if (isOwner && count == 0)
                        _timerAt = timer;
                }

                CompleteProgress(send);
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

    /// <summary>Appends the rest of reliable frames as room is made for them. With a barrier, waits until they have arrived.</summary>
    [AsyncMethodBuilder(typeof(PoolingAsyncValueTaskMethodBuilder))]
    private async ValueTask SendRestAsync(ReadOnlyMemory<byte> frames, int channel, bool isBarrier, CancellationToken cancellationToken)
    {
        while (BeginWait(channel, isBarrier, frames.IsEmpty, cancellationToken) is { } send)
        {
            await send.Wait.AsTask().ConfigureAwait(false);
            lock (_gate)
            {
                ThrowIfClosedLocked();
                if (!frames.IsEmpty)
                    frames = frames.Slice(_connection.AppendReliable(frames.Span, isBarrier, channel));
            }

            Flush();
            if (frames.IsEmpty && !isBarrier)
                return;
        }
    }

    /// <returns>The wait; <see langword="null"/> if the barrier has arrived, and the caller awaits nothing else.</returns>
    private PendingSend? BeginWait(int channel, bool isBarrier, bool awaitsArrival, CancellationToken cancellationToken)
    {
        lock (_gate)
        {
            ThrowIfClosedLocked();
            if (awaitsArrival && _connection.HasBarrierArrived)
                return null;
            var send = channel == 0 ? _send : (_otherSends ??= new PendingSend?[OrderedChannels.Count])[channel] ??= new PendingSend(_gate, channel);
            (send.IsBarrier, send.AwaitsArrival) = (isBarrier, awaitsArrival);
            send.Wait.Begin(cancellationToken);
            if (HasProgressLocked(send) && send.Wait.TryTake())
                send.Wait.SetResult(true); // the continuation runs on the thread pool
            return send;
        }
    }

    private bool HasProgressLocked(PendingSend send) =>
        send.Wait.IsPending && (HasEndedLocked() || (send.AwaitsArrival ? _connection.HasBarrierArrived : _connection.WantsMore(send.Channel, send.IsBarrier)));

    /// <summary>Takes a wait that has ended. The caller completes it after the lock.</summary>
    private PendingSend? TakeProgressLocked()
    {
        if (HasProgressLocked(_send) && _send.Wait.TryTake())
            return _send;
        if (_otherSends is null)
            return null;
        foreach (var send in _otherSends)
        {
            if (send is not null && HasProgressLocked(send) && send.Wait.TryTake())
                return send;
        }

        return null;
    }

    /// <summary>Completes a wait that was taken, and all others that have ended.</summary>
    private void CompleteProgress(PendingSend? send)
    {
        while (send is not null)
        {
            send.Wait.SetResult(true);
            lock (_gate)
                send = TakeProgressLocked();
        }
    }

    /// <summary>A datagram that was written and not sent yet.</summary>
    private readonly struct Unsent(ulong number, int size)
    {
        public ulong Number { get; } = number;

        public int Size { get; } = size;
    }

    /// <summary>The wait of the send of one channel.</summary>
    private sealed class PendingSend(object gate, int channel)
    {
        public int Channel => channel;

        public ReceiveWait<bool> Wait { get; } = new(gate, runsContinuationsAsynchronously: true); // a continuation sends, which must not delay the receive loop

        public bool IsBarrier { get; set; }

        /// <summary>Whether the send waits until its barrier has arrived, and not for room.</summary>
        public bool AwaitsArrival { get; set; }
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
