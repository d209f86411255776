using System.IO;
using System.IO.Pipes;
using System.Runtime.CompilerServices;

namespace Reloaded.Messaging;

/// <summary>A connected named pipe.</summary>
internal sealed class PipeChannel(PipeStream pipe, string remoteName) : PartedChannel
{
    /// <summary>The size of the system's buffer for each direction, in bytes.</summary>
    public const int BufferSize = PartSize;

    /// <summary>The maximum number of reads whose bytes are discarded at the end: more than the system keeps, and an end for a remote side that writes on and on.</summary>
    private const int MaxDropped = 16;

    private int _isDisposed;
    private volatile bool _isAborted;

    public override string RemoteName => remoteName;

    [AsyncMethodBuilder(typeof(PoolingAsyncValueTaskMethodBuilder<>))]
    public override async ValueTask<int> ReceiveAsync(Memory<byte> buffer, CancellationToken cancellationToken)
    {
        try
        {
            var received = await pipe.ReadAsync(buffer, cancellationToken).ConfigureAwait(false);

            // On Windows, a pending read ends with 0 bytes whichever side has closed the pipe. After a disposal, bytes before these may have been dropped.
            return (received == 0 ? _isAborted : Volatile.Read(ref _isDisposed) != 0) ? throw TransportClosedException.Here(remoteName) : received;
        }
        catch (Exception e) when (IsEnd(e))
        {
            throw new TransportClosedException($"Receiving from {remoteName} failed: {e.Message}", e);
        }
    }

    public override void Abort()
    {
        _isAborted = true;
        pipe.Dispose();
    }

    /// <summary>Closes the pipe. A pipe keeps written bytes until the other end has read them, and cannot close a single direction.</summary>
    public override async ValueTask DisposeAsync()
    {
        if (Interlocked.Exchange(ref _isDisposed, 1) != 0)
            return;
        try
        {
            ValueTask<int> last;
            using (pipe)
                last = DropReceived();
            await last.ConfigureAwait(false);
        }
        catch (Exception e)
        {
            // The pipe was already closed, or the pending read ended with it. The list of exceptions is open: they are those of the system.
            _ = e;
        }
    }

    [AsyncMethodBuilder(typeof(PoolingAsyncValueTaskMethodBuilder))]
    protected override async ValueTask WriteAsync(ReadOnlyMemory<byte> part, CancellationToken cancellationToken)
    {
        try
        {
            await pipe.WriteAsync(part, cancellationToken).ConfigureAwait(false);
        }
        catch (Exception e) when (IsEnd(e))
        {
            throw new TransportClosedException($"Sending to {remoteName} failed: {e.Message}", e);
        }
    }

    /// <summary>Discards the received bytes. If the pipe is a socket, closing it with unread bytes would cause a reset at the other end instead of an orderly end.</summary>
    /// <returns>The pending read.</returns>
    private ValueTask<int> DropReceived()
    {
        var buffer = new byte[BufferSize];
        for (var reads = 0; reads < MaxDropped; reads++)
        {
            var read = pipe.ReadAsync(buffer);
            if (!read.IsCompletedSuccessfully)
                return read;
            if (read.GetAwaiter().GetResult() == 0)
                break;
        }

        return default;
    }

    // A broken or closed pipe throws InvalidOperationException.
    private static bool IsEnd(Exception e) => e is IOException or ObjectDisposedException or InvalidOperationException;
}
