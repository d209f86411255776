using System;
using System.Collections.Generic;
using System.Threading;
using System.Threading.Tasks;
using LiteNetLib;

namespace Reloaded.Messaging.Hosting.LiteNetLib;

/// <summary>LiteNetLib's own readers that came and were not handled yet, up to a bound of the memory that they hold: each is lent to one receive and recycled once.</summary>
/// <remarks>A receive that waits is completed on LiteNetLib's thread, or in its poll: what is received is handled there.</remarks>
internal sealed class LiteNetInbox
{
    /// <summary>About what LiteNetLib's objects for a packet take beside its array.</summary>
    private const int PacketMemory = 256;

    private readonly object _gate = new();
    private readonly Queue<NetPacketReader> _waiting = new();
    private readonly ReceiveWait<Memory<byte>> _wait;
    private readonly int _maxBytes;
    private NetPacketReader? _lent;
    private TransportClosedException? _failure;
    private long _bytes;
    private bool _hasEnded;

    public LiteNetInbox(int maxBytes)
    {
        _maxBytes = maxBytes;
        _wait = new ReceiveWait<Memory<byte>>(_gate);
    }

    /// <summary>Takes a reader, which is the inbox's to recycle from here on.</summary>
    /// <returns>False if there is no room, or nobody will receive: the reader is the caller's still.</returns>
    public bool TryAdd(NetPacketReader reader)
    {
        lock (_gate)
        {
            if (_failure is not null || (_bytes > 0 && _bytes + MemoryOf(reader) > _maxBytes))
                return false;
            if (!_wait.TryTake())
            {
                _waiting.Enqueue(reader);
                _bytes += MemoryOf(reader);
                return true;
            }

            _lent = reader;
        }

        _wait.SetResult(Bytes(reader));
        return true;
    }

    public ValueTask<Memory<byte>> ReceiveAsync(CancellationToken cancellationToken)
    {
        cancellationToken.ThrowIfCancellationRequested();
        lock (_gate)
        {
            if (_waiting.TryDequeue(out var reader))
            {
                _bytes -= MemoryOf(reader);
                _lent = reader;
                return new ValueTask<Memory<byte>>(Bytes(reader));
            }

            if (_failure is not null)
                throw new TransportClosedException(_failure.Message, _failure);
            if (_hasEnded)
                return default;
            _wait.Begin(cancellationToken);
        }

        return _wait.AsTask();
    }

    /// <summary>Recycles what was lent: whoever received has read it.</summary>
    public void Return()
    {
        lock (_gate)
            Recycle(ref _lent);
    }

    /// <summary>Nothing more comes: what came may be received.</summary>
    public void End()
    {
        lock (_gate)
        {
            _hasEnded = true;
            if (!_wait.TryTake())
                return;
        }

        _wait.SetResult(default);
    }

    /// <summary>Nothing more comes, for a reason.</summary>
    /// <param name="failure">What to tell who receives.</param>
    /// <param name="keepsReceived">Whether what came before may be received still.</param>
    public void Fail(TransportClosedException failure, bool keepsReceived)
    {
        lock (_gate)
        {
            _failure ??= failure;
            while (!keepsReceived && _waiting.TryDequeue(out var reader))
                Recycle(ref reader);
            if (!keepsReceived)
                _bytes = 0;
            if (!_wait.TryTake())
                return;
        }

        _wait.SetException(failure);
    }

    /// <summary>What a packet holds: its array comes from LiteNetLib's pool, and may be far longer than what is in it.</summary>
    private static int MemoryOf(NetPacketReader reader) => reader.RawData.Length + PacketMemory;

    private static Memory<byte> Bytes(NetPacketReader reader) => reader.RawData.AsMemory(reader.Position, reader.AvailableBytes);

    private static void Recycle(ref NetPacketReader? reader)
    {
        reader?.Recycle();
        reader = null;
    }
}
