using System;
using System.Runtime.CompilerServices;
using System.Threading;
using System.Threading.Tasks;

namespace Reloaded.Messaging;

/// <summary>Sends the frames that must arrive: in numbered segments, of which at most 32 are unacknowledged. Resends each segment until it is acknowledged. Thread-safe, with one send at a time.</summary>
/// <remarks>A segment contains whole frames, so that other datagrams may arrive between two segments. Only a frame that is larger than a segment is divided.</remarks>
/// <param name="send">Sends one segment, including its header.</param>
/// <param name="counts">Counts a resend that throws.</param>
/// <param name="time">The clock of the resends.</param>
internal sealed class ReliableSender(Action<ReadOnlyMemory<byte>> send, DatagramCounters counts, TimeProvider time)
{
    public const int Window = 32;
    public const int HeaderSize = sizeof(uint) + 1;

    private readonly object _gate = new();
    private readonly SentSegment[] _segments = new SentSegment[Window];
    private readonly ResendDelay _delay = new();
    private ReceiveWait<bool>? _progress;
    private ITimer? _timer;
    private bool _isTimerSet;
    private uint _missing;
    private uint _next;
    private bool _isClosed;

    /// <summary>The number of frames whose send has completed, and whose arrival was not confirmed. Frames of a barrier do not count, because their send completes when they have arrived.</summary>
    public int UnconfirmedFrames { get; private set; }

    /// <summary>Sends frames. Completes when all of them are sent, or when the sender is closed. Waits while 32 segments are unacknowledged.</summary>
    /// <param name="frames">Whole frames.</param>
    /// <param name="segmentSize">The size of a segment without its header, in bytes.</param>
    /// <param name="isBarrier">Whether to wait until these frames and all earlier frames have arrived.</param>
    /// <param name="cancellationToken">Cancels the wait. Segments that were sent are still resent.</param>
    [AsyncMethodBuilder(typeof(PoolingAsyncValueTaskMethodBuilder))]
    public async ValueTask SendAsync(ReadOnlyMemory<byte> frames, int segmentSize, bool isBarrier, CancellationToken cancellationToken)
    {
        while (!frames.IsEmpty)
        {
            var whole = frames.Slice(0, DatagramPacker.Cut(frames.Span, segmentSize, out var count));
            frames = frames.Slice(whole.Length);
            while (!whole.IsEmpty)
            {
                var part = whole.Slice(0, Math.Min(whole.Length, segmentSize));
                whole = whole.Slice(part.Length);
                var confirmed = isBarrier || !whole.IsEmpty ? 0 : count;
                while (!TrySend(part.Span, isLast: whole.IsEmpty, confirmed))
                {
                    if (!await WaitAsync(Window - 1, cancellationToken).ConfigureAwait(false))
                        return;
                }
            }
        }

        while (isBarrier && await WaitAsync(0, cancellationToken).ConfigureAwait(false))
        {
            if (HasAllArrived)
                return;
        }
    }

    /// <summary>Processes an acknowledgement.</summary>
    /// <param name="missing">The number of the first segment that has not arrived.</param>
    /// <param name="arrived">A bit for each later segment that has arrived.</param>
    public void Acknowledge(uint missing, uint arrived)
    {
        lock (_gate)
        {
            var ahead = unchecked(missing - _missing);
            if (_isClosed || ahead > unchecked(_next - _missing))
                return; // the acknowledgement is old, or names segments that were never sent
            for (; _missing != missing; _missing++)
                Confirm(_missing);
            for (var i = 1u; i < unchecked(_next - _missing); i++)
            {
                if ((arrived >> (int)i & 1) != 0)
                    Confirm(unchecked(_missing + i));
            }

            if (ahead == 0 || _progress is null || !_progress.TryTake())
                return;
        }

        _progress.SetResult(true);
    }

    /// <summary>Ends a waiting send and all resends. May be called more than once.</summary>
    public void Close()
    {
        lock (_gate)
        {
            _isClosed = true;
            _timer?.Dispose();
            foreach (ref var segment in _segments.AsSpan())
                segment.Free();
            if (_progress is null || !_progress.TryTake())
                return;
        }

        _progress.SetResult(false);
    }

    private bool HasAllArrived
    {
        get
        {
            lock (_gate)
                return _missing == _next;
        }
    }

    private bool TrySend(ReadOnlySpan<byte> bytes, bool isLast, int frames)
    {
        lock (_gate)
        {
            if (_isClosed || unchecked(_next - _missing) == Window)
                return false;
            ref var segment = ref _segments[_next % Window];
            segment.Fill(_next, bytes, isLast, frames);
            _next = unchecked(_next + 1);
            UnconfirmedFrames += frames;
            (segment.SentAt, segment.Delay) = (time.GetTimestamp(), _delay.First);
            send(segment.Memory);
            if (!_isTimerSet)
                SetTimer(segment.Delay);
            return true;
        }
    }

    /// <summary>Waits for an acknowledgement if more than some segments are unacknowledged.</summary>
    /// <returns><see langword="false"/> if the sender is closed; otherwise, <see langword="true"/>.</returns>
    private ValueTask<bool> WaitAsync(int unacknowledged, CancellationToken cancellationToken)
    {
        lock (_gate)
        {
            if (_isClosed || unchecked(_next - _missing) <= unacknowledged)
                return new ValueTask<bool>(!_isClosed);
            _progress ??= new ReceiveWait<bool>(_gate, runsContinuationsAsynchronously: true); // a continuation sends, which must not delay the receive loop
            _progress.Begin(cancellationToken);
        }

        return _progress.AsTask();
    }

    private void Confirm(uint number)
    {
        ref var segment = ref _segments[number % Window];
        if (segment.IsFree)
            return;
        if (!segment.IsResent)
            _delay.NoteRoundTrip(time.GetElapsedTime(segment.SentAt));
        UnconfirmedFrames -= segment.Frames;
        segment.Free();
    }

    private void SetTimer(TimeSpan delay)
    {
        _timer ??= time.CreateTimer(static self => ((ReliableSender)self!).Resend(), this, Timeout.InfiniteTimeSpan, Timeout.InfiniteTimeSpan);
        _isTimerSet = true;
        _timer.Change(delay, Timeout.InfiniteTimeSpan);
    }

    private void Resend()
    {
        try
        {
            lock (_gate)
                ResendDue();
        }
        catch (Exception e)
        {
            counts.CountFailure(e); // an exception on a timer thread would end the process
        }
    }

    private void ResendDue()
    {
        _isTimerSet = false;
        if (_isClosed)
            return;
        var next = TimeSpan.MaxValue;
        for (var number = _missing; number != _next; number++)
        {
            ref var segment = ref _segments[number % Window];
            if (segment.IsFree)
                continue;
            var left = segment.Delay - time.GetElapsedTime(segment.SentAt);
            if (left <= TimeSpan.Zero)
            {
                send(segment.Memory);
                (segment.SentAt, segment.Delay, segment.IsResent) = (time.GetTimestamp(), ResendDelay.After(segment.Delay), true);
                left = segment.Delay;
            }

            next = left < next ? left : next;
        }

        if (next < TimeSpan.MaxValue)
            SetTimer(next < ResendDelay.Shortest ? ResendDelay.Shortest : next);
    }
}
