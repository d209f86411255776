using System;
using System.Buffers;
using System.IO;
using System.Runtime.CompilerServices;
using System.Threading;
using System.Threading.Tasks;

namespace Reloaded.Messaging.Hosting;

/// <summary>The bytes of a file as a stream that the remote side pulls.</summary>
/// <param name="peer">The receiver.</param>
/// <param name="source">The file. It can seek, and is read from its beginning.</param>
/// <param name="progress">Receives the progress; <c>null</c> for none.</param>
/// <param name="ownsSource">Whether to dispose the source when the stream has ended.</param>
internal sealed class OutgoingFile(Peer peer, Stream source, IProgress<TransferProgress>? progress, bool ownsSource)
    : OutgoingStream(peer, isSecret: false, s_blocks.GetValue(peer, static _ => new SemaphoreSlim(MaxBlocks, MaxBlocks)))
{
    /// <summary>The maximum number of blocks of all files of a peer that are in memory and not in its outbox.</summary>
    private const int MaxBlocks = 4;

    private static readonly ConditionalWeakTable<Peer, SemaphoreSlim> s_blocks = [];

    /// <summary>The maximum size of a block, in bytes: the size that receivers of files request. It limits the memory of blocks that wait for a peer that does not read.</summary>
    private const int MaxBlock = 128 * 1024;

    private readonly long _length = source.Length;
    private readonly SemaphoreSlim _reading = new(1, 1); // the source is disposed after a running read
    private long _resumed;
    private int _hasBegun; // 1 after the receiver has reported its part or requested a block
    private long _position;

    public long Length => _length;

    public TransferProgress Progress => new(Volatile.Read(ref _position), _length, Volatile.Read(ref _resumed));

    /// <summary>Returns <c>true</c> at the first call, unless a block was requested before; otherwise, <c>false</c>.</summary>
    public bool TryBegin() => Interlocked.Exchange(ref _hasBegun, 1) == 0;

    /// <summary>Completes when no part of another file of the peer is hashed.</summary>
    /// <exception cref="OperationCanceledException">Thrown when the stream was closed.</exception>
    public Task EnterHashingAsync(SemaphoreSlim hashing) => hashing.WaitAsync(Closed);

    /// <summary>Continues after the part that the receiver has, if the file begins with this part; otherwise, starts at 0.</summary>
    /// <exception cref="OperationCanceledException">Thrown when the stream was closed.</exception>
    public async Task<long> StartAsync(FileStart part)
    {
        await _reading.WaitAsync(Closed).ConfigureAwait(false);
        try
        {
            var hash = part.Offset <= _length ? await FilePart.HashAsync(source, part.Offset, Closed).ConfigureAwait(false) : null;
            source.Position = _position = _resumed = hash.AsSpan().SequenceEqual(part.Hash) ? part.Offset : 0;
            return _position;
        }
        finally
        {
            _reading.Release();
        }
    }

    /// <summary>Closes the stream, and waits until the source is not read.</summary>
    public async Task CloseAsync()
    {
        Dispose();
        await _reading.WaitAsync().ConfigureAwait(false);
    }

    protected override async ValueTask<StreamBlock> TakeAsync(int maxBytes)
    {
        _ = TryBegin();
        if (_position == _length)
            return StreamBlock.End;
        maxBytes = Math.Min(maxBytes, MaxBlock);
        var array = ArrayPool<byte>.Shared.Rent(maxBytes);
        var read = 0;
        try
        {
            read = await ReadAsync(array.AsMemory(0, (int)Math.Min(maxBytes, _length - _position))).ConfigureAwait(false);
        }
        finally
        {
            if (read == 0)
                ArrayPool<byte>.Shared.Return(array);
        }

        if (read == 0)
            return StreamBlock.End; // the file became shorter; the receiver compares the length
        Volatile.Write(ref _position, _position + read);
        progress?.Report(Progress);
        return new StreamBlock(array, read, false);
    }

    protected override void OnClosed()
    {
        if (ownsSource)
            _ = DisposeSourceAsync();
    }

    private async ValueTask<int> ReadAsync(Memory<byte> buffer)
    {
        await _reading.WaitAsync(Closed).ConfigureAwait(false);
        try
        {
            return IsClosed ? 0 : await source.ReadAsync(buffer, Closed).ConfigureAwait(false);
        }
        catch (Exception e) when (e is not OperationCanceledException)
        {
            Peer.Host.Events.ReportFailure(Peer, LibraryTypes.StreamPull, e);
            throw RequestFaultException.OfLibrary(FaultCode.HandlerFailed, FormattableString.Invariant($"The file cannot be read at byte {_position:N0}."));
        }
        finally
        {
            _reading.Release();
        }
    }

    private async Task DisposeSourceAsync()
    {
        await _reading.WaitAsync().ConfigureAwait(false);
        try
        {
            await source.DisposeAsync().ConfigureAwait(false);
        }
        catch (Exception e)
        {
            Peer.Host.Events.ReportFailure(Peer, LibraryTypes.StreamPull, e);
        }
    }
}
