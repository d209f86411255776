using System;
using System.Buffers;
using System.IO.Pipelines;
using System.Runtime.CompilerServices;
using System.Threading;
using System.Threading.Tasks;

namespace Reloaded.Messaging.Hosting.Channels.InProcess;

/// <summary>One end of two pipes inside of a process: for tests, for a server and its own client, and for who wants hosts without a socket.</summary>
internal sealed class InProcessChannel : MessageChannel
{
    // As much as a socket's buffers usually hold: a sender that is faster than its receiver waits as it would there.
    private static readonly PipeOptions s_options = new(pauseWriterThreshold: 256 * 1024, resumeWriterThreshold: 128 * 1024, useSynchronizationContext: false);

    private readonly PipeReader _reader;
    private readonly PipeWriter _writer;

    private InProcessChannel(string name, PipeReader reader, PipeWriter writer)
    {
        RemoteName = name;
        _reader = reader;
        _writer = writer;
    }

    public override string RemoteName { get; }

    /// <summary>Two ends, each the other's.</summary>
    public static (InProcessChannel Server, InProcessChannel Client) CreatePair(string name)
    {
        var (up, down) = (new Pipe(s_options), new Pipe(s_options));
        return (new InProcessChannel(name, up.Reader, down.Writer), new InProcessChannel(name, down.Reader, up.Writer));
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
            throw new ChannelClosedException($"The channel to {RemoteName} was closed on this side.", e);
        }

        if (result.IsCompleted)
            throw new ChannelClosedException($"{RemoteName} has closed the channel.");
        if (result.IsCanceled)
            throw new ChannelClosedException($"The channel to {RemoteName} was aborted.");
    }

    [AsyncMethodBuilder(typeof(PoolingAsyncValueTaskMethodBuilder<>))]
    public override async ValueTask<int> ReceiveAsync(Memory<byte> buffer, CancellationToken cancellationToken)
    {
        ReadResult result;
        try
        {
            result = await _reader.ReadAsync(cancellationToken).ConfigureAwait(false);
        }
        catch (Exception e) when (e is InvalidOperationException or ChannelClosedException)
        {
            throw new ChannelClosedException($"The channel to {RemoteName} was aborted.", e);
        }

        if (result.IsCanceled)
            throw new ChannelClosedException($"The channel to {RemoteName} was aborted.");
        var part = result.Buffer.Slice(0, Math.Min(result.Buffer.Length, buffer.Length));
        part.CopyTo(buffer.Span);
        var received = (int)part.Length; // before it goes back: afterwards it is somebody else's
        _reader.AdvanceTo(part.End);
        return received;
    }

    public override void Abort()
    {
        // The other end fails too, as when a process dies. Each pipe's two ends may be completed from any thread, once.
        _writer.CancelPendingFlush();
        _reader.CancelPendingRead();
        _writer.Complete(new ChannelClosedException($"The other end of {RemoteName} broke off."));
    }

    public override ValueTask DisposeAsync()
    {
        _writer.Complete();
        _reader.Complete();
        return default;
    }
}
