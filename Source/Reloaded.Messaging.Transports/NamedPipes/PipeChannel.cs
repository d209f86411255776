using System;
using System.IO;
using System.IO.Pipes;
using System.Runtime.CompilerServices;
using System.Threading;
using System.Threading.Tasks;

namespace Reloaded.Messaging;

/// <summary>A connected named pipe.</summary>
internal sealed class PipeChannel(PipeStream pipe, string remoteName) : TransportChannel
{
    /// <summary>What the system keeps each way, in bytes: as much as is written at once while messages are merged.</summary>
    public const int BufferSize = 64 * 1024;

    private long _sent;
    private int _isDisposed;

    public override string RemoteName => remoteName;

    public override long? SentBytes => Volatile.Read(ref _sent);

    [AsyncMethodBuilder(typeof(PoolingAsyncValueTaskMethodBuilder))]
    public override async ValueTask SendAsync(ReadOnlyMemory<byte> frames, Delivery delivery, CancellationToken cancellationToken)
    {
        try
        {
            while (frames.Length > 0) // in parts, so that the progress of a large send shows
            {
                var part = frames.Slice(0, Math.Min(frames.Length, BufferSize));
                await pipe.WriteAsync(part, cancellationToken).ConfigureAwait(false);
                frames = frames.Slice(part.Length);
                Volatile.Write(ref _sent, _sent + part.Length);
            }
        }
        catch (Exception e) when (IsEnd(e))
        {
            throw new TransportClosedException($"Sending to {remoteName} failed: {e.Message}", e);
        }
    }

    [AsyncMethodBuilder(typeof(PoolingAsyncValueTaskMethodBuilder<>))]
    public override async ValueTask<int> ReceiveAsync(Memory<byte> buffer, CancellationToken cancellationToken)
    {
        try
        {
            return await pipe.ReadAsync(buffer, cancellationToken).ConfigureAwait(false);
        }
        catch (Exception e) when (IsEnd(e))
        {
            throw new TransportClosedException($"Receiving from {remoteName} failed: {e.Message}", e);
        }
    }

    public override void Abort() => pipe.Dispose();

    /// <summary>Closes. A pipe keeps what was written to it until the other end has read that, and has no end for one direction alone.</summary>
    public override async ValueTask DisposeAsync()
    {
        if (Interlocked.Exchange(ref _isDisposed, 1) != 0)
            return;
        try
        {
            var last = DropReceived();
            await pipe.DisposeAsync().ConfigureAwait(false);
            await last.ConfigureAwait(false);
        }
        catch (Exception e) when (IsEnd(e) || e is OperationCanceledException)
        {
            // It was closed already, or the read that waited for more ended with it.
            _ = e;
        }
    }

    /// <summary>Receives for nobody what has come so far: where a pipe is a socket, the other end would be told of a reset otherwise, and not of an end.</summary>
    /// <returns>The read that found nothing.</returns>
    private ValueTask<int> DropReceived()
    {
        var buffer = new byte[BufferSize];
        while (true)
        {
            var read = pipe.ReadAsync(buffer);
            if (!read.IsCompletedSuccessfully)
                return read;
            if (read.GetAwaiter().GetResult() == 0)
                return default;
        }
    }

    // Invalid is what a pipe calls an operation once it is broken or closed.
    private static bool IsEnd(Exception e) => e is IOException or ObjectDisposedException or InvalidOperationException;
}
