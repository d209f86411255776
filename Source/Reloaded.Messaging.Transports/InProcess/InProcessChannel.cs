using System;
using System.Buffers;
using System.IO.Pipelines;
using System.Runtime.CompilerServices;
using System.Threading;
using System.Threading.Tasks;

namespace Reloaded.Messaging;

/// <summary>One end of two pipes inside of a process: for tests, for a server and its own client, and for who wants hosts without a socket.</summary>
internal sealed class InProcessChannel : TransportChannel
{
    // As much as a socket's buffers usually hold: a sender that is faster than its receiver waits as it would there.
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

    /// <summary>Two ends, each the other's.</summary>
    public static (InProcessChannel Server, InProcessChannel Client) CreatePair(string name)
    {
        var (up, down) = (new Pipe(s_options), new Pipe(s_options));
        var (server, client) = (new InProcessChannel(name, up.Reader, down.Writer), new InProcessChannel(name, down.Reader, up.Writer));
        (server._other, client._other) = (client, server);
        return (server, client);
    }

    [AsyncMethodBuilder(typeof(PoolingAsyncValueTaskMethodBuilder))]
    public override async ValueTask SendAsync(ReadOnlyMemory<byte> frames, Delivery delivery, CancellationToken cancellationToken)
    {
        FlushResult result;
        try
        {
            result = await _writer.WriteAsync(frames, cancellationToken).ConfigureAwait(false);
        }
        catch (InvalidOperationException e)
        {
            throw new TransportClosedException(ClosedHere, e);
        }

        if (result.IsCanceled)
            throw new TransportClosedException(ClosedHere);
        if (result.IsCompleted)
            throw new TransportClosedException($"{RemoteName} has closed the channel.");
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
            throw new TransportClosedException(ClosedHere, e);
        }
        catch (TransportClosedException e)
        {
            throw new TransportClosedException(e.Message, e); // made by the other end: this stack is told too
        }

        lock (_gate)
        {
            if (_isClosed)
                throw new TransportClosedException(ClosedHere); // the bytes have gone back to where others get theirs
            var part = result.Buffer.Slice(0, Math.Min(result.Buffer.Length, buffer.Length));
            part.CopyTo(buffer.Span);
            var received = (int)part.Length; // before it goes back: afterwards it is somebody else's
            _reader.AdvanceTo(part.End);
            Volatile.Write(ref _received, _received + received);
            return received;
        }
    }

    /// <summary>Closes; the other end fails too, as when a process dies.</summary>
    public override void Abort() => Close(new TransportClosedException($"The other end of {RemoteName} broke off."));

    public override ValueTask DisposeAsync()
    {
        Close(null);
        return default;
    }

    private string ClosedHere => $"The channel to {RemoteName} was closed on this side.";

    // In this order: a read or a flush that is under way, or begins meanwhile, finds itself canceled or refused, and never waits.
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
