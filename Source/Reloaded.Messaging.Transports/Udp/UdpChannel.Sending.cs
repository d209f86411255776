using System;
using System.Buffers;
using System.Buffers.Binary;
using System.Diagnostics;
using System.Threading;

namespace Reloaded.Messaging;

/// <content>Sending datagrams.</content>
internal sealed partial class UdpChannel
{
    private const int MaxBatch = 16;
    private const int BatchSize = 16 * 1024;

    private bool _isFlushing; // the thread that set it sends
    private long _timerAt = long.MaxValue;

    /// <summary>Shows the other side that this side has the keys.</summary>
    public void Confirm()
    {
        lock (_gate)
            _connection.Ping();
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
                bool hasProgress;
                lock (_gate)
                {
                    if (_isFlushing && !isOwner)
                        return;
                    datagrams ??= ArrayPool<byte>.Shared.Rent(_batch * _options.MaxDatagramSize);
                    count = HasEndedLocked() ? 0 : WriteLocked(datagrams, unsent.Slice(0, _batch), now);
                    hasProgress = _progress.IsPending && HasProgressLocked() && _progress.TryTake();
                    timer = count > 0 || HasEndedLocked() ? long.MaxValue : _connection.NextTimer(now);
                    isOwner = _isFlushing = count > 0 || timer < _timerAt;
                    if (isOwner && count == 0)
                        _timerAt = timer;
                }

                if (hasProgress)
                    _progress.SetResult(true);
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

    /// <summary>Adds the header to a datagram, encrypts it, and sends it.</summary>
    private void Send(Span<byte> datagram, Unsent unsent)
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
                return;
            }

            datagram[numberAt++] = (byte)epoch;
            size += TrafficKey.TagSize;
        }

        BinaryPrimitives.WriteUInt64LittleEndian(datagram.Slice(numberAt), unsent.Number);
        _port.Send(datagram.Slice(0, size));
    }

    /// <summary>A datagram that was written and not sent yet.</summary>
    private readonly record struct Unsent(ulong Number, int Size);
}

/// <summary>Sends the datagrams of a connection, through a private socket or a shared socket. Thread-safe.</summary>
internal interface IDatagramPort
{
    /// <summary>Sends a datagram. A datagram that cannot be sent is dropped.</summary>
    void Send(ReadOnlySpan<byte> datagram);

    /// <summary>Releases the port, because the connection has ended. Nothing more is sent.</summary>
    void Release(UdpChannel channel);
}
