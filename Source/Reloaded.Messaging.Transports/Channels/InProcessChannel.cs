using System;
using System.Buffers;
using System.IO.Pipelines;
using System.Runtime.CompilerServices;
using System.Threading;
using System.Threading.Tasks;

namespace Reloaded.Messaging;

/// <summary>One end of two pipes within a process: for tests, for a server and a client in the same process, and for hosts without a socket.</summary>
internal sealed class InProcessChannel : TransportChannel
{
    // The thresholds match the usual size of socket buffers: a sender that is faster than its receiver waits, as it does with a socket.
    private static readonly PipeOptions s_options = new(pauseWriterThreshold: 256 * 1024, resumeWriterThreshold: 128 * 1024, useSynchronizationContext: false);

    private readonly PipeReader _reader;
    private readonly PipeWriter _writer;
    private readonly object _gate = new();
    private InProcessChannel? _other;
    private long _received;
    private bool _isClosed;

    private InProcessChannel(string name, PipeReader reader, PipeWriter writer)
    {
        RemoteName = name;
        _reader = reader;
        _writer = writer;
    }

    public override string RemoteName { get; }

    public override long? SentBytes => _other is { } other ? Volatile.Read(ref other._received) : null;

    /// <summary>Creates two connected ends.</summary>
    public static (InProcessChannel Server, InProcessChannel Client) CreatePair(string name)
    {
        var (up, down) = (new Pipe(s_options), new Pipe(s_options));
        var (server, client) = (new InProcessChannel(name, up.Reader, down.Writer), new InProcessChannel(name, down.Reader, up.Writer));
        (server._other, client._other) = (client, server);
        return (server, client);
    }

    [AsyncMethodBuilder(typeof(PoolingAsyncValueTaskMethodBuilder))]
    public override async ValueTask SendAsync(ReadOnlyMemory<byte> frames, CancellationToken cancellationToken)
    {
        FlushResult result;
        try
        {
            result = await _writer.WriteAsync(frames, cancellationToken).ConfigureAwait(false);
        }
        catch (InvalidOperationException e)
        {
            throw TransportClosedException.Here(RemoteName, e);
        }

        if (result.IsCanceled)
            throw TransportClosedException.Here(RemoteName);
        if (result.IsCompleted)
            throw new TransportClosedException($"{RemoteName} has closed the channel. Connect again.");
    }

    [AsyncMethodBuilder(typeof(PoolingAsyncValueTaskMethodBuilder<>))]
    public override async ValueTask<int> ReceiveAsync(Memory<byte> buffer, CancellationToken cancellationToken)
    {
        ReadResult result;
        try
        {
            result = await _reader.ReadAsync(cancellationToken).ConfigureAwait(false);
        }
        catch (InvalidOperationException e)
        {
            throw TransportClosedException.Here(RemoteName, e);
        }
        catch (TransportClosedException e)
        {
            throw new TransportClosedException(e.Message, e); // the other end created the exception; the new exception adds the stack trace of this end
        }

        lock (_gate)
        {
            if (_isClosed)
                throw TransportClosedException.Here(RemoteName); // the bytes were returned to the pool and may be overwritten
            var part = result.Buffer.Slice(0, Math.Min(result.Buffer.Length, buffer.Length));
            part.CopyTo(buffer.Span);
            var received = (int)part.Length; // read before AdvanceTo, which returns the memory to the pool
            _reader.AdvanceTo(part.End);
            Volatile.Write(ref _received, _received + received);
            return received;
        }
    }

    /// <summary>Closes the channel. The other end fails too, as if the process had died.</summary>
    public override void Abort() => Close(new TransportClosedException($"The other end of {RemoteName} aborted the channel. Connect again."));

    public override ValueTask DisposeAsync()
    {
        Close(null);
        return default;
    }

    // The order ensures that a pending or concurrent read or flush is canceled or throws, and never waits.
    private void Close(TransportClosedException? reason)
    {
        lock (_gate)
        {
            if (_isClosed)
                return;
            _isClosed = true;
            _writer.CancelPendingFlush();
            _reader.CancelPendingRead();
            _writer.Complete(reason);
            _reader.Complete();
        }
    }
}
