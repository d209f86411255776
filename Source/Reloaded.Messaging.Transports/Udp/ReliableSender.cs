using System;
using System.Buffers;
using System.Buffers.Binary;
using System.Diagnostics;
using System.Runtime.CompilerServices;
using System.Threading;
using System.Threading.Tasks;

namespace Reloaded.Messaging;

/// <summary>Sends the frames that must arrive: in numbered segments, of which at most 32 are unacknowledged. Resends each segment until it is acknowledged. Thread-safe, with one send at a time.</summary>
/// <remarks>A segment contains whole frames, so that other datagrams may arrive between two segments. Only a frame that is larger than a segment is divided.</remarks>
internal sealed class ReliableSender
{
    public const int Window = 32;
    public const int HeaderSize = sizeof(uint) + 1;

    private readonly object _gate = new();
    private readonly SentSegment[] _segments = new SentSegment[Window];
    private readonly ResendDelay _delay = new();
    private readonly Action<ReadOnlyMemory<byte>> _send;
    private readonly TimeProvider _time;
    private readonly long _begun;
    private readonly OneShotTimer _timer;
    private ReceiveWait<bool>? _progress;
    private bool _isTimerSet;
    private uint _missing;
    private uint _next;
    private bool _isClosed;

    /// <param name="send">Sends one segment, including its header. Called under the lock, so that segments are sent in their order.</param>
    /// <param name="counts">Counts a resend that throws.</param>
    /// <param name="time">The clock of the resends.</param>
    public ReliableSender(Action<ReadOnlyMemory<byte>> send, DatagramCounters counts, TimeProvider time)
    {
        (_send, _time, _begun) = (send, time, time.GetTimestamp());
        _timer = new OneShotTimer(time, Resend, counts.CountFailure);
    }

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
        var now = Now;
        lock (_gate)
        {
            var ahead = unchecked(missing - _missing);
            if (_isClosed || ahead > unchecked(_next - _missing))
                return; // the acknowledgement is old, or names segments that were never sent
            for (; _missing != missing; _missing++)
                Confirm(_missing, now);
            for (var i = 1u; i < unchecked(_next - _missing); i++)
            {
                if ((arrived >> (int)i & 1) != 0)
                    Confirm(unchecked(_missing + i), now);
            }

            if (ahead == 0 || _progress is null || !_progress.TryTake())
                return;
        }

        _progress.SetResult(true);
    }

    /// <summary>Ends a waiting send and all resends. May be called more than once.</summary>
    public void Close()
    {
        bool completes;
        lock (_gate)
        {
            _isClosed = true;
            foreach (ref var segment in _segments.AsSpan())
                segment.Free();
            completes = _progress is not null && _progress.TryTake();
        }

        _timer.Stop();
        if (completes)
            _progress!.SetResult(false);
    }

    /// <summary>The current time, which is read before the lock is taken, because the clock may be code of the program.</summary>
    private TimeSpan Now => _time.GetElapsedTime(_begun);

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
        var now = Now;
        TimeSpan delay;
        lock (_gate)
        {
            if (_isClosed || unchecked(_next - _missing) == Window)
                return false;
            ref var segment = ref _segments[_next % Window];
            segment.Fill(_next, bytes, isLast, frames);
            _next = unchecked(_next + 1);
            UnconfirmedFrames += frames;
            (segment.SentAt, segment.Delay) = (now, _delay.First);
            _send(segment.Memory);
            if (_isTimerSet)
                return true;
            (_isTimerSet, delay) = (true, segment.Delay);
        }

        _timer.Set(delay);
        return true;
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

    private void Confirm(uint number, TimeSpan now)
    {
        Debug.Assert(Monitor.IsEntered(_gate));
        ref var segment = ref _segments[number % Window];
        if (segment.IsFree)
            return;
        if (!segment.IsResent)
            _delay.NoteRoundTrip(now > segment.SentAt ? now - segment.SentAt : TimeSpan.Zero); // another thread may have sent it since the time was read
        UnconfirmedFrames -= segment.Frames;
        segment.Free();
    }

    private void Resend()
    {
        var now = Now;
        TimeSpan? next;
        lock (_gate)
            next = ResendDue(now);
        if (next is { } delay)
            _timer.Set(delay);
    }

    /// <summary>Sends the segments again that are due.</summary>
    /// <returns>The time until the next segment is due; <c>null</c> if all segments are acknowledged.</returns>
    private TimeSpan? ResendDue(TimeSpan now)
    {
        Debug.Assert(Monitor.IsEntered(_gate));
        _isTimerSet = false;
        if (_isClosed)
            return null;
        var next = TimeSpan.MaxValue;
        for (var number = _missing; number != _next; number++)
        {
            ref var segment = ref _segments[number % Window];
            if (segment.IsFree)
                continue;
            var left = segment.Delay - (now - segment.SentAt);
            if (left <= TimeSpan.Zero)
            {
                _send(segment.Memory);
                (segment.SentAt, segment.Delay, segment.IsResent) = (now, ResendDelay.After(segment.Delay), true);
                left = segment.Delay;
            }

            next = left < next ? left : next;
        }

        _isTimerSet = next < TimeSpan.MaxValue;
        return !_isTimerSet ? null : next < ResendDelay.Shortest ? ResendDelay.Shortest : next;
    }
}

/// <summary>A segment that was sent, in rented memory until its arrival is confirmed.</summary>
internal struct SentSegment
{
    private byte[]? _array;
    private int _size;

    /// <summary>The number of frames that end in this segment and whose arrival is counted.</summary>
    public int Frames { get; private set; }

    /// <summary>The time at which the segment was last sent, since the sender was created.</summary>
    public TimeSpan SentAt { get; set; }

    /// <summary>The time after <see cref="SentAt"/> at which the segment is resent.</summary>
    public TimeSpan Delay { get; set; }

    public bool IsResent { get; set; }

    public readonly bool IsFree => _array is null;

    /// <summary>The header and the bytes.</summary>
    public readonly ReadOnlyMemory<byte> Memory => new(_array, 0, _size);

    /// <summary>Copies the bytes of a segment.</summary>
    /// <param name="number">The number of the segment.</param>
    /// <param name="bytes">The bytes.</param>
    /// <param name="isLast">Whether the next segment begins with a frame.</param>
    /// <param name="frames">The number of frames whose arrival is counted.</param>
    public void Fill(uint number, ReadOnlySpan<byte> bytes, bool isLast, int frames)
    {
        _size = ReliableSender.HeaderSize + bytes.Length;
        _array = ArrayPool<byte>.Shared.Rent(_size);
        BinaryPrimitives.WriteUInt32LittleEndian(_array, number);
        _array[sizeof(uint)] = isLast ? (byte)0 : (byte)1;
        bytes.CopyTo(_array.AsSpan(ReliableSender.HeaderSize));
        Frames = frames;
        IsResent = false;
    }

    /// <summary>Zeroes and returns the memory. May be called more than once.</summary>
    public void Free()
    {
        if (_array is null)
            return;
        _array.AsSpan(0, _size).Clear();
        ArrayPool<byte>.Shared.Return(_array);
        _array = null;
    }
}

/// <summary>The time until an unacknowledged segment is resent: twice the round-trip time, between 100 and 500 ms. It doubles with each resend, up to 500 ms. Not thread-safe.</summary>
internal sealed class ResendDelay
{
    /// <summary>The shortest time for which the timer is set (1 ms), because the timer may fire slightly early.</summary>
    public static readonly TimeSpan Shortest = TimeSpan.FromMilliseconds(1);

    private static readonly TimeSpan s_min = TimeSpan.FromMilliseconds(100);
    private static readonly TimeSpan s_max = TimeSpan.FromMilliseconds(500);

    private TimeSpan _roundTrip;

    /// <summary>The delay after the first send of a segment.</summary>
    public TimeSpan First => Clamp(_roundTrip * 2);

    /// <summary>Returns the delay that follows a delay.</summary>
    public static TimeSpan After(TimeSpan delay) => Clamp(delay * 2);

    /// <summary>Adds a measurement to the average of about the last eight. Segments that were resent are not measured, because their acknowledgement may belong to the first send.</summary>
    public void NoteRoundTrip(TimeSpan roundTrip) => _roundTrip = _roundTrip == TimeSpan.Zero ? roundTrip : _roundTrip + ((roundTrip - _roundTrip) / 8);

    private static TimeSpan Clamp(TimeSpan delay) => delay < s_min ? s_min : delay > s_max ? s_max : delay;
}
