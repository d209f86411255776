using System.Buffers;
using System.Buffers.Binary;
using System.Runtime.CompilerServices;

namespace Reloaded.Messaging;

/// <summary>Encrypts any stream. Exchanges keys first, and then sends records of length, epoch, ciphertext and tag.</summary>
/// <remarks>
/// <code>
/// record  uint16 length of the following fields, little-endian · lowest byte of the epoch · ciphertext · 16 bytes of tag
/// </code>
/// The key exchange begins in the constructor and runs concurrently; sends and receives wait for it. An idle channel holds no buffer. Bytes are
/// received into the memory of the caller and decrypted there. Only a partial record is kept, in memory that is rented for it.
/// Thread-safe for one send and one receive at a time; the channel may be aborted or disposed at any time.
/// </remarks>
internal sealed class ProtectedChannel : WrappedChannel
{
    private const int Overhead = RecordReader.HeaderSize + TrafficKey.TagSize;

    /// <summary>The maximum number of records in one write.</summary>
    private const int RecordsPerWrite = 4;

    private readonly Task<SessionKeys> _exchange;
    private readonly RecordReader _reader = new();
    private bool _isReceiving;

    public ProtectedChannel(TransportChannel inner, ExchangeSettings settings, bool isServer)
        : base(inner)
    {
        Token = inner.Token;
        _exchange = Detached.Run(() => StreamExchange.RunAsync(inner, settings, isServer));
        _ = _exchange.ContinueWith(static (task, self) => ((ProtectedChannel)self!).Exchanged(task), this, CancellationToken.None, TaskContinuationOptions.ExecuteSynchronously, TaskScheduler.Default);
    }

    [AsyncMethodBuilder(typeof(PoolingAsyncValueTaskMethodBuilder))]
    public override async ValueTask SendAsync(ReadOnlyMemory<byte> frames, CancellationToken cancellationToken)
    {
        var keys = await KeysAsync(cancellationToken).ConfigureAwait(false);
        while (frames.Length > 0)
        {
            var part = frames.Slice(0, Math.Min(frames.Length, RecordsPerWrite * RecordReader.MaxPlain));
            frames = frames.Slice(part.Length);
            var records = ArrayPool<byte>.Shared.Rent(part.Length + (RecordsPerWrite * Overhead));
            try
            {
                await Inner.SendAsync(records.AsMemory(0, Seal(keys.Sealer, part.Span, records)), cancellationToken).ConfigureAwait(false);
            }
            finally
            {
                ArrayPool<byte>.Shared.Return(records);
            }
        }
    }

    [AsyncMethodBuilder(typeof(PoolingAsyncValueTaskMethodBuilder<>))]
    public override async ValueTask<int> ReceiveAsync(Memory<byte> buffer, CancellationToken cancellationToken)
    {
        lock (_reader)
        {
            ThrowIfClosed();
            _isReceiving = true;
        }

        try
        {
            return await ReceiveAsync(await KeysAsync(cancellationToken).ConfigureAwait(false), buffer, cancellationToken).ConfigureAwait(false);
        }
        catch (TransportClosedException)
        {
            _reader.Free();
            throw;
        }
        finally
        {
            lock (_reader)
            {
                _isReceiving = false;
                if (IsClosed)
                    _reader.Free();
            }
        }
    }

    public override void Abort()
    {
        Close();
        Inner.Abort();
        FreeKeys();
    }

    public override async ValueTask DisposeAsync()
    {
        Close();
        await Inner.DisposeAsync().ConfigureAwait(false);
        FreeKeys();
    }

    [AsyncMethodBuilder(typeof(PoolingAsyncValueTaskMethodBuilder<>))]
    private async ValueTask<int> ReceiveAsync(SessionKeys keys, Memory<byte> buffer, CancellationToken cancellationToken)
    {
        while (true)
        {
            ThrowIfClosed();
            if (_reader.TryTake(buffer.Span) is var taken && (taken > 0 || (buffer.IsEmpty && _reader.HasPlain)))
                return taken;

            var destination = _reader.GetRoom(buffer);
            var received = await Inner.ReceiveAsync(destination, cancellationToken).ConfigureAwait(false);
            if (received == 0)
                return _reader.IsBetweenRecords ? 0 : throw new TransportClosedException($"{RemoteName} closed the connection within a record. Connect again."); // no key is needed to cut a stream, so the place of the cut proves nothing
            var opened = _reader.Open(keys.Opener, destination, received, buffer);
            if (opened < 0)
                throw IsClosed ? ClosedHere() : new TransportClosedException(TransportCloseReason.Tampered, $"The bytes received from {RemoteName} are not the bytes that it sent. The data was tampered with; connect again.");
            if (opened > 0)
                return opened;
        }
    }

    /// <summary>Encrypts bytes into records.</summary>
    /// <returns>The total size of the records, in bytes.</returns>
    private int Seal(PacketSealer sealer, ReadOnlySpan<byte> plain, Span<byte> records)
    {
        var size = 0;
        while (plain.Length > 0)
        {
            var part = plain.Slice(0, Math.Min(plain.Length, RecordReader.MaxPlain));
            plain = plain.Slice(part.Length);
            var record = records.Slice(size, part.Length + Overhead);
            var epoch = sealer.Seal(part, record.Slice(RecordReader.HeaderSize), out _);
            if (epoch < 0)
                throw ClosedHere();
            BinaryPrimitives.WriteUInt16LittleEndian(record, (ushort)(record.Length - sizeof(ushort)));
            record[sizeof(ushort)] = (byte)epoch;
            size += record.Length;
        }

        return size;
    }

    private ValueTask<SessionKeys> KeysAsync(CancellationToken cancellationToken)
    {
        ThrowIfClosed();
        return new ValueTask<SessionKeys>(_exchange.IsCompleted ? _exchange : _exchange.WaitAsync(cancellationToken));
    }

    /// <summary>Zeroes the held bytes: at once, or at the end of the receive in progress.</summary>
    private void Close()
    {
        lock (_reader)
        {
            TryClose();
            if (!_isReceiving)
                _reader.Free();
        }
    }

    // Users of the keys observe the failure. It is observed here too, because the channel may have no user.
    private void Exchanged(Task<SessionKeys> exchange)
    {
        _ = exchange.Exception;
        if (IsClosed)
            FreeKeys();
    }

    private void FreeKeys()
    {
        if (_exchange is { IsCompletedSuccessfully: true } done)
            done.GetAwaiter().GetResult().Dispose();
    }
}
