using System.Runtime.CompilerServices;

namespace Reloaded.Messaging;

/// <summary>One end of two pipes within a process: for tests, for a server and a client in the same process, and for hosts without a socket.</summary>
internal sealed class InProcessChannel : TransportChannel
{
    private readonly BytePipe _incoming;
    private readonly BytePipe _outgoing;
    private int _isClosed;

    private InProcessChannel(string name, BytePipe incoming, BytePipe outgoing)
    {
        RemoteName = name;
        _incoming = incoming;
        _outgoing = outgoing;
    }

    public override string RemoteName { get; }

    public override long? SentBytes => _outgoing.ReadBytes;

    /// <summary>Creates two connected ends.</summary>
    public static (InProcessChannel Server, InProcessChannel Client) CreatePair(string name)
    {
        var (up, down) = (new BytePipe(), new BytePipe());
        return (new InProcessChannel(name, up, down), new InProcessChannel(name, down, up));
    }

    [AsyncMethodBuilder(typeof(PoolingAsyncValueTaskMethodBuilder))]
    public override async ValueTask SendAsync(ReadOnlyMemory<byte> frames, CancellationToken cancellationToken)
    {
        cancellationToken.ThrowIfCancellationRequested();
        while (true)
        {
            frames = frames.Slice(_outgoing.Write(frames.Span));
            if (_outgoing.IsWriterClosed)
                throw TransportClosedException.Here(RemoteName);
            if (_outgoing.IsReaderClosed && _incoming.HasUnread)
                return; // as with a socket, the last bytes of the other end are received before a send fails: they may say why it closed
            if (_outgoing.IsReaderClosed)
                throw new TransportClosedException($"{RemoteName} has closed the channel. Connect again.");
            if (frames.IsEmpty)
                return;
            await _outgoing.WaitToWriteAsync(cancellationToken).ConfigureAwait(false);
        }
    }

    [AsyncMethodBuilder(typeof(PoolingAsyncValueTaskMethodBuilder<>))]
    public override async ValueTask<int> ReceiveAsync(Memory<byte> buffer, CancellationToken cancellationToken)
    {
        cancellationToken.ThrowIfCancellationRequested();
        while (true)
        {
            var isComplete = _incoming.IsWriterClosed; // before the read: the writer writes nothing afterwards
            var received = _incoming.Read(buffer.Span);
            if (_incoming.IsReaderClosed)
                throw TransportClosedException.Here(RemoteName);
            if (received > 0 || (buffer.IsEmpty && _incoming.HasUnread)) // an SslStream waits for bytes with an empty buffer
                return received;
            if (isComplete)
                return _incoming.Failure is { } failure ? throw new TransportClosedException(failure) : 0;
            await _incoming.WaitToReadAsync(cancellationToken).ConfigureAwait(false);
        }
    }

    /// <summary>Closes the channel. The other end fails too, as if the process had died.</summary>
    public override void Abort() => Close($"The other end of {RemoteName} aborted the channel. Connect again.");

    public override ValueTask DisposeAsync()
    {
        Close(null);
        return default;
    }

    private void Close(string? reason)
    {
        if (Interlocked.Exchange(ref _isClosed, 1) != 0)
            return;
        _outgoing.CloseWriter(reason);
        _incoming.CloseReader();
    }
}
