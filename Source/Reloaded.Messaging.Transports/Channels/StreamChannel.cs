using System;
using System.IO;
using System.Threading;
using System.Threading.Tasks;

namespace Reloaded.Messaging;

/// <summary>A channel over streams of the program. An operation of such a stream may never end, so the channel does not wait for it after an abort, and gives it memory of its own.</summary>
internal sealed class StreamChannel(Stream input, Stream output, string remoteName) : TransportChannel
{
    private const int BufferSize = 64 * 1024;

    private readonly CancellationTokenSource _aborted = new();
    private readonly byte[] _received = new byte[BufferSize];
    private readonly byte[] _sending = new byte[BufferSize];
    private Task<int>? _reading; // continues after a receive was canceled
    private int _start;
    private int _end;
    private long _sent;
    private int _isDisposed;

    public override string RemoteName => remoteName;

    public override long? SentBytes => Volatile.Read(ref _sent);

    public override async ValueTask SendAsync(ReadOnlyMemory<byte> frames, Delivery delivery, CancellationToken cancellationToken)
    {
        using var canceled = CancellationTokenSource.CreateLinkedTokenSource(cancellationToken, _aborted.Token);
        try
        {
            while (frames.Length > 0) // in parts, so that SentBytes grows during a large send
            {
                var size = Math.Min(frames.Length, BufferSize);
                frames.Slice(0, size).CopyTo(_sending);
                await WaitAsync(WriteAsync(size), canceled.Token).ConfigureAwait(false);
                frames = frames.Slice(size);
            }
        }
        catch (Exception e) when (IsEnd(e))
        {
            throw new TransportClosedException($"Sending to {remoteName} failed: {e.Message}", e);
        }
    }

    public override async ValueTask<int> ReceiveAsync(Memory<byte> buffer, CancellationToken cancellationToken)
    {
        try
        {
            if (_aborted.IsCancellationRequested)
                throw new ObjectDisposedException(nameof(StreamChannel));
            if (_start == _end)
                await FillAsync(cancellationToken).ConfigureAwait(false);
        }
        catch (Exception e) when (IsEnd(e))
        {
            throw new TransportClosedException($"Receiving from {remoteName} failed: {e.Message}", e);
        }

        var taken = _received.AsSpan(_start, Math.Min(buffer.Length, _end - _start));
        taken.CopyTo(buffer.Span);
        taken.Clear();
        _start += taken.Length;
        return taken.Length;
    }

    public override void Abort()
    {
        _aborted.Cancel();
        Close(output);
        Close(input);
    }

    public override async ValueTask DisposeAsync()
    {
        if (Interlocked.Exchange(ref _isDisposed, 1) != 0)
            return;
        try
        {
            await output.DisposeAsync().ConfigureAwait(false); // the other side receives the end
        }
        catch (Exception e) when (IsEnd(e))
        {
            _ = e; // it was closed, or the other side is gone
        }

        Abort();
    }

    private async Task<int> WriteAsync(int size)
    {
        await output.WriteAsync(_sending.AsMemory(0, size), _aborted.Token).ConfigureAwait(false);
        await output.FlushAsync(_aborted.Token).ConfigureAwait(false);
        _sending.AsSpan(0, size).Clear(); // it may be secret
        Volatile.Write(ref _sent, _sent + size);
        return size;
    }

    private async ValueTask FillAsync(CancellationToken cancellationToken)
    {
        using var canceled = CancellationTokenSource.CreateLinkedTokenSource(cancellationToken, _aborted.Token);
        _reading ??= input.ReadAsync(_received, _aborted.Token).AsTask();
        var read = await WaitAsync(_reading, canceled.Token).ConfigureAwait(false);
        _reading = null;
        (_start, _end) = (0, read);
    }

    /// <summary>Waits for an operation of a stream, which may go on after the wait was canceled.</summary>
    private async Task<T> WaitAsync<T>(Task<T> operation, CancellationToken cancellationToken)
    {
        try
        {
            return await operation.WaitAsync(cancellationToken).ConfigureAwait(false);
        }
        catch (OperationCanceledException e) when (_aborted.IsCancellationRequested)
        {
            _ = ObserveAsync(operation);
            throw new IOException("This side has closed the connection.", e);
        }
    }

    private static async Task ObserveAsync(Task operation) => await operation.ConfigureAwait(ConfigureAwaitOptions.SuppressThrowing);

    private static void Close(Stream stream)
    {
        try
        {
            stream.Dispose();
        }
        catch (Exception e) when (IsEnd(e))
        {
            _ = e; // it was closed, or the other side is gone
        }
    }

    private static bool IsEnd(Exception e) => e is IOException or ObjectDisposedException or InvalidOperationException or NotSupportedException;
}
