using System.IO;

namespace Reloaded.Messaging;

/// <summary>A channel over streams of the program. An operation of such a stream may never end, so the channel does not wait for it after an abort, and gives it memory of its own.</summary>
internal sealed class StreamChannel(Stream input, Stream output, string remoteName) : PartedChannel
{
    private readonly CancellationTokenSource _aborted = new();
    private readonly byte[] _received = new byte[PartSize];
    private readonly byte[] _sending = new byte[PartSize];
    private Task<int>? _reading; // continues after a receive was canceled
    private int _start;
    private int _end;

    public override string RemoteName => remoteName;

    public override async ValueTask<int> ReceiveAsync(Memory<byte> buffer, CancellationToken cancellationToken)
    {
        if (_start == _end || _aborted.IsCancellationRequested)
        {
            _end = await WaitAsync(_reading ??= ReadAsync(), cancellationToken).ConfigureAwait(false);
            (_start, _reading) = (0, null);
        }

        var taken = _received.AsSpan(_start, Math.Min(buffer.Length, _end - _start));
        taken.CopyTo(buffer.Span);
        taken.Clear(); // it may be secret
        _start += taken.Length;
        return taken.Length;
    }

    public override void Abort()
    {
        _aborted.Cancel();
        try
        {
            Close(output);
        }
        finally
        {
            Close(input);
        }
    }

    public override ValueTask DisposeAsync()
    {
        try
        {
            Close(output); // the other side receives the end
            return default;
        }
        finally
        {
            Abort();
        }
    }

    protected override ValueTask WriteAsync(ReadOnlyMemory<byte> part, CancellationToken cancellationToken)
    {
        part.CopyTo(_sending);
        return new ValueTask(WaitAsync(WriteAsync(part.Length), cancellationToken));
    }

    private async Task<int> WriteAsync(int size)
    {
        await output.WriteAsync(_sending.AsMemory(0, size), _aborted.Token).ConfigureAwait(false);
        await output.FlushAsync(_aborted.Token).ConfigureAwait(false);
        _sending.AsSpan(0, size).Clear(); // it may be secret
        return size;
    }

    private async Task<int> ReadAsync() => await input.ReadAsync(_received, _aborted.Token).ConfigureAwait(false);

    /// <summary>Waits for an operation of a stream, which may go on after the wait was canceled.</summary>
    private async Task<int> WaitAsync(Task<int> operation, CancellationToken cancellationToken)
    {
        try
        {
            using var canceled = CancellationTokenSource.CreateLinkedTokenSource(cancellationToken, _aborted.Token);
            return await operation.WaitAsync(canceled.Token).ConfigureAwait(false);
        }
        catch (Exception e) when (IsEnd(e) || _aborted.IsCancellationRequested)
        {
            _ = operation.ContinueWith(static ended => ended.Exception, CancellationToken.None, TaskContinuationOptions.ExecuteSynchronously, TaskScheduler.Default); // its exception is observed
            throw new TransportClosedException($"The connection over {remoteName} has ended: {e.Message}", e);
        }
    }

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
