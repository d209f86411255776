using System.Buffers;
using System.IO;
using System.Runtime.CompilerServices;

namespace Reloaded.Messaging.Hosting;

/// <summary>Sends files, and answers receivers that report which part of a file they have.</summary>
internal sealed class FileSender
{
    private static readonly ConditionalWeakTable<MessageHost, Lazy<FileSender>> s_senders = [];

    private readonly StreamTable _table;
    private readonly ConditionalWeakTable<Peer, SemaphoreSlim> _hashing = []; // a peer cannot occupy the thread pool with hashes of many files

    private FileSender(MessageHost host)
    {
        _table = StreamTable.Of(host);
        _ = host.Contracts.Register(FileContracts.Start, FileContracts.Started, () => host.Handlers.OnRequest<FileStart, FileStarted>(FileContracts.Start, FileContracts.Started, StartAsync));
    }

    /// <summary>Returns the sender of a host, and creates it at the first call: once, because the handler that it registers can be registered only once.</summary>
    public static FileSender Of(MessageHost host) => s_senders.GetValue(host, static host => new(() => new FileSender(host))).Value;

    /// <summary>Sends a file, and waits until the remote side has received it.</summary>
    public async Task<TransferProgress> SendAsync(Peer peer, Stream source, string name, IProgress<TransferProgress>? progress, CancellationToken cancellationToken)
    {
        var file = new OutgoingFile(peer, source, progress, ownsSource: false);
        _table.Add(file);
        try
        {
            var offer = new FileOffered((uint)file.Number, file.Length, name);
            await peer.RequestAsync(FileContracts.Offered, FileContracts.Received, in offer, StreamContracts.NoTimeout, cancellationToken).ConfigureAwait(false);
            return file.Progress;
        }
        catch (Exception e)
        {
            file.Dispose();
            var cause = file.TakeFailure() ?? e; // the receiver does not know why this side failed
            if (cause == e && (file.Progress.Transferred == 0 || e is not (RequestFaultException or RequestFailedException)))
                throw;
            throw FileTransferException.Of(name, file.Progress, cause);
        }
        finally
        {
            await file.CloseAsync().ConfigureAwait(false);
        }
    }

    /// <summary>Publishes a file that a peer has requested.</summary>
    /// <param name="peer">The peer.</param>
    /// <param name="name">The requested name.</param>
    /// <param name="source">The file. It is disposed at the end of the transfer.</param>
    public FileOffered Offer(Peer peer, string name, Stream source)
    {
        var file = new OutgoingFile(peer, source, null, ownsSource: true);
        try
        {
            _table.AddOpened(file);
        }
        catch
        {
            file.Dispose();
            throw;
        }

        return new FileOffered((uint)file.Number, file.Length, name);
    }

    private async ValueTask<FileStarted> StartAsync(FileStart part, Peer peer, CancellationToken cancellationToken)
    {
        if (_table.Find(part.Number, peer) is not OutgoingFile file)
            throw RequestFaultException.OfLibrary(FaultCode.InvalidRequest, $"No file with the number {part.Number} is being sent.");
        if (!file.TryBegin())
            throw RequestFaultException.OfLibrary(FaultCode.InvalidRequest, $"The file with the number {part.Number} has begun. Report the part of a file once, before the first request for a block.");
        try
        {
            var hashing = _hashing.GetValue(peer, static _ => new SemaphoreSlim(1, 1));
            await file.EnterHashingAsync(hashing).ConfigureAwait(false);
            try
            {
                return new FileStarted(await file.StartAsync(part).ConfigureAwait(false));
            }
            finally
            {
                hashing.Release();
            }
        }
        catch (OperationCanceledException)
        {
            throw RequestFaultException.OfLibrary(FaultCode.Canceled, "The sender has ended the transfer.");
        }
    }
}

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
    public Task CloseAsync()
    {
        Dispose();
        return _reading.WaitAsync();
    }

    protected override async ValueTask<StreamBlock> TakeAsync(int maxBytes)
    {
        _ = TryBegin();
        if (_position == _length)
            return StreamBlock.End;
        maxBytes = Math.Min(maxBytes, MaxBlock);
        var array = ArrayPool<byte>.Shared.Rent(maxBytes);
        var block = StreamBlock.End;
        try
        {
            int read;
            await _reading.WaitAsync(Closed).ConfigureAwait(false);
            try
            {
                read = IsClosed ? 0 : await source.ReadAsync(array.AsMemory(0, (int)Math.Min(maxBytes, _length - _position)), Closed).ConfigureAwait(false);
            }
            finally
            {
                _reading.Release();
            }

            if (read == 0)
                return block; // the file became shorter; the receiver compares the length
            Volatile.Write(ref _position, _position + read);
            progress?.Report(Progress);
            return block = new StreamBlock(array, read, false);
        }
        catch (Exception e) when (e is not OperationCanceledException)
        {
            if (ownsSource || !TryKeep(e))
                Peer.Host.Events.ReportFailure(Peer, LibraryTypes.StreamPull, e);
            throw RequestFaultException.OfLibrary(FaultCode.HandlerFailed, FormattableString.Invariant($"The source of the file failed at byte {_position:N0}."));
        }
        finally
        {
            if (block.Array is null)
                ArrayPool<byte>.Shared.Return(array);
        }
    }

    protected override void OnClosed()
    {
        if (ownsSource)
            _ = DisposeSourceAsync();
    }

    private async Task DisposeSourceAsync()
    {
        await _reading.WaitAsync().ConfigureAwait(false);
        await Peer.Host.Events.CallAsync(Peer, source.DisposeAsync).ConfigureAwait(false);
    }
}
