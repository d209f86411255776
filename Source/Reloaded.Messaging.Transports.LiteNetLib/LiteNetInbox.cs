using LiteNetLib;

namespace Reloaded.Messaging.Transports.LiteNetLib;

/// <summary>The readers of LiteNetLib that were received and not yet handled, bounded by the memory that they hold. Each reader is lent to one receive and recycled once.</summary>
/// <remarks>A waiting receive is completed on LiteNetLib's thread, or in its poll, and the received packet is handled there.</remarks>
internal sealed class LiteNetInbox
{
    /// <summary>The approximate size of LiteNetLib's objects for a packet, without its array, in bytes.</summary>
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

    /// <summary>Adds a reader. From then on, the inbox recycles the reader.</summary>
    /// <returns><c>false</c> if there is no room or the inbox is closed. The caller then recycles the reader.</returns>
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

    /// <summary>Recycles the lent reader, which the receiver has read.</summary>
    public void Return()
    {
        lock (_gate)
            Recycle(ref _lent);
    }

    /// <summary>Completes the inbox. Packets received before can still be received.</summary>
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

    /// <summary>Completes the inbox with a failure.</summary>
    /// <param name="failure">The exception for receivers.</param>
    /// <param name="keepsReceived">Whether packets received before can still be received.</param>
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

    /// <summary>The memory of a packet. Its array comes from LiteNetLib's pool and may be much longer than its contents.</summary>
    private static int MemoryOf(NetPacketReader reader) => reader.RawData.Length + PacketMemory;

    private static Memory<byte> Bytes(NetPacketReader reader) => reader.RawData.AsMemory(reader.Position, reader.AvailableBytes);

    private static void Recycle(ref NetPacketReader? reader)
    {
        reader?.Recycle();
        reader = null;
    }
}
