namespace Reloaded.Messaging.Games;

/// <summary>The datagrams that are on a path, by the time at which they leave it.</summary>
internal sealed class PathQueue : IAsyncDisposable
{
    /// <summary>The most bytes on the path. Further datagrams are lost.</summary>
    public const int MaxBytes = 64 << 20;

    /// <summary>The longest time for which a datagram waits for its turn, where the path has a rate.</summary>
    public static readonly TimeSpan LongestWait = TimeSpan.FromMilliseconds(200);

    private readonly NetworkPath _path;
    private readonly TimeProvider _time;
    private readonly long _frequency;
    private readonly ITimer _timer;
    private readonly PriorityQueue<(PathLane Lane, byte[] Datagram), (long Time, long Number)> _waiting = new();
    private long _number; // keeps the order of datagrams that leave at the same time
    private long _wake = long.MaxValue; // the timestamp for which the timer is set
    private int _bytes;
    private bool _isSending; // by one thread at a time, so that datagrams leave in order

    /// <param name="path">The path.</param>
    /// <param name="time">The clock.</param>
    public PathQueue(NetworkPath path, TimeProvider time)
    {
        (_path, _time, _frequency) = (path, time, time.TimestampFrequency);
        _timer = Detached.Start(() => time.CreateTimer(static self => ((PathQueue)self!).SendDue(((PathQueue)self)._time.GetTimestamp()), this, Timeout.InfiniteTimeSpan, Timeout.InfiniteTimeSpan));
    }

    /// <summary>Sends a datagram at once, keeps a copy of it for later, or loses it, as the path says.</summary>
    public void Enter(PathLane lane, ReadOnlySpan<byte> datagram)
    {
        var (rate, delay) = (_path.BytesPerSecond, _path.Delay + (_path.Jitter * Random.Shared.NextDouble()));
        if (Random.Shared.NextDouble() < _path.Loss)
            _path.CountLost();
        else if (rate == 0 && delay == TimeSpan.Zero)
            Send(lane, datagram);
        else if (TryKeep(lane, datagram, _time.GetTimestamp(), rate, delay))
            SetTimer();
        else
            _path.CountLost();
    }

    /// <summary>Sends the datagrams on the path in their order, without a further delay. No datagram may enter the path meanwhile.</summary>
    public async ValueTask DisposeAsync()
    {
        await _timer.DisposeAsync().ConfigureAwait(false); // waits for a thread that sends
        SendDue(long.MaxValue);
    }

    private void SendDue(long now)
    {
        lock (_waiting)
        {
            _wake = long.MaxValue;
            if (_isSending)
                return; // the other thread sets the timer again
            _isSending = true;
        }

        while (TryTake(now) is { Datagram: not null } next)
            Send(next.Lane, next.Datagram);
        SetTimer();
    }

    private bool TryKeep(PathLane lane, ReadOnlySpan<byte> datagram, long now, int rate, TimeSpan delay)
    {
        lock (_waiting)
        {
            var begin = Math.Max(now, lane.FreeAt);
            if (begin - now > ToTicks(LongestWait.TotalSeconds) || _bytes + datagram.Length > MaxBytes)
                return false;
            lane.FreeAt = begin + (rate == 0 ? 0 : ToTicks(datagram.Length / (double)rate));
            _bytes += datagram.Length;
            _waiting.Enqueue((lane, datagram.ToArray()), (lane.FreeAt + ToTicks(delay.TotalSeconds), _number++));
            return true;
        }
    }

    /// <summary>Returns the next datagram that is due. If there is none, the sending ends.</summary>
    private (PathLane Lane, byte[] Datagram) TryTake(long now)
    {
        lock (_waiting)
        {
            if (_waiting.TryPeek(out var next, out var due) && due.Time <= now)
            {
                _bytes -= next.Datagram.Length;
                return _waiting.Dequeue();
            }

            _isSending = false;
            return default;
        }
    }

    /// <summary>Sets the timer for the first datagram. A thread that has set it looks again, so that a later call for an earlier datagram is not undone.</summary>
    private void SetTimer()
    {
        long wake;
        lock (_waiting)
        {
            if (!_waiting.TryPeek(out _, out var first) || _wake <= first.Time)
                return;
            _wake = wake = first.Time;
        }

        while (true)
        {
            var left = (wake - _time.GetTimestamp()) * 1000.0 / _frequency;
            _timer.Change(TimeSpan.FromMilliseconds(Math.Max(0, Math.Ceiling(left))), Timeout.InfiniteTimeSpan);
            lock (_waiting)
            {
                if (_wake == wake || _wake == long.MaxValue)
                    return; // a thread that sends sets the timer afterwards
                wake = _wake;
            }
        }
    }

    private void Send(PathLane lane, ReadOnlySpan<byte> datagram)
    {
        if (lane.TrySend(datagram))
            _path.CountPassed();
        else
            _path.CountLost();
    }

    private long ToTicks(double seconds) => (long)(seconds * _frequency);
}
