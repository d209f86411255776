using System.Diagnostics.CodeAnalysis;
using System.Threading.Channels;

namespace Reloaded.Messaging.Games;

/// <summary>One direction of a stream over a path. Bytes leave it later, in their order, and none is lost. One caller enters, and one other caller receives.</summary>
/// <param name="path">The path.</param>
/// <param name="time">The clock.</param>
[SuppressMessage("Design", "CA1001", Justification = "The source has no timer, so it needs no disposal.")]
internal sealed class PathStream(NetworkPath path, TimeProvider time)
{
    private const int MaxPiece = 16 << 10; // bytes
    private const int MaxPieces = 256;

    private readonly Channel<(byte[] Bytes, long LeavesAt)> _pieces = Channel.CreateBounded<(byte[] Bytes, long LeavesAt)>(MaxPieces);
    private readonly CancellationTokenSource _end = new();
    private long _freeAt;
    private long _lastLeaves;

    /// <summary>Whether bytes are on the path.</summary>
    public bool HasBytes => _pieces.Reader.TryPeek(out _);

    /// <summary>Copies bytes to the path. Waits while the path is full: for 200 ms of its rate, or 4 MiB.</summary>
    /// <exception cref="ChannelClosedException">Thrown when the path has ended.</exception>
    public async ValueTask EnterAsync(ReadOnlyMemory<byte> bytes, CancellationToken cancellationToken)
    {
        while (!bytes.IsEmpty)
        {
            var piece = bytes.Slice(0, Math.Min(bytes.Length, MaxPiece)).ToArray();
            bytes = bytes.Slice(piece.Length);
            await DelayAsync(_freeAt - ToTicks(PathQueue.LongestWait), cancellationToken).ConfigureAwait(false);
            _freeAt = Math.Max(time.GetTimestamp(), _freeAt) + (path.BytesPerSecond is var rate and not 0 ? ToTicks(TimeSpan.FromSeconds(piece.Length / (double)rate)) : 0);
            _lastLeaves = Math.Max(_lastLeaves, _freeAt + ToTicks(path.Delay + (path.Jitter * Random.Shared.NextDouble())));
            await _pieces.Writer.WriteAsync((piece, _lastLeaves), cancellationToken).ConfigureAwait(false);
        }
    }

    /// <summary>Waits for the next bytes.</summary>
    /// <returns>The bytes; empty when the path has ended.</returns>
    /// <exception cref="TransportClosedException">Thrown when the path has ended by a failure.</exception>
    public async ValueTask<ReadOnlyMemory<byte>> LeaveAsync(CancellationToken cancellationToken)
    {
        if (!await _pieces.Reader.WaitToReadAsync(cancellationToken).ConfigureAwait(false) || !_pieces.Reader.TryPeek(out var next))
            return default;
        await DelayAsync(next.LeavesAt, cancellationToken).ConfigureAwait(false);
        _ = _pieces.Reader.TryRead(out _);
        path.CountPassed();
        return next.Bytes;
    }

    /// <summary>Ends the path after the bytes on it, unless it has ended.</summary>
    /// <param name="failure">The failure that the receiver gets after the bytes, or <see langword="null"/>.</param>
    public void Complete(Exception? failure = null) => _ = _pieces.Writer.TryComplete(failure);

    /// <summary>Ends the path. The bytes on it leave without a further delay.</summary>
    /// <inheritdoc cref="Complete" path="/param"/>
    public void End(Exception? failure = null)
    {
        Complete(failure);
        _end.Cancel();
    }

    /// <summary>Waits until a time, or until the path ends.</summary>
    private async ValueTask DelayAsync(long until, CancellationToken cancellationToken)
    {
        while (time.GetElapsedTime(time.GetTimestamp(), until) is var left && left > TimeSpan.Zero && !_end.IsCancellationRequested)
        {
            using var either = CancellationTokenSource.CreateLinkedTokenSource(cancellationToken, _end.Token);
            await Task.Delay(TimeSpan.FromMilliseconds(Math.Ceiling(left.TotalMilliseconds)), time, either.Token).ConfigureAwait(ConfigureAwaitOptions.SuppressThrowing);
            cancellationToken.ThrowIfCancellationRequested();
        }
    }

    private long ToTicks(TimeSpan value) => (long)(value.TotalSeconds * time.TimestampFrequency);
}
