using System.Linq;
using Reloaded.Messaging.Games;
using Reloaded.Messaging.Tests.Support;
using Xunit;

namespace Reloaded.Messaging.Tests.Ticking;

public sealed class TickLoopTests
{
    private static readonly TimeSpan s_interval = TimeSpan.FromMilliseconds(20);

    private readonly ManualTime _time = new();
    private readonly List<Tick> _ticks = [];

    [Fact]
    public async Task An_update_is_called_once_an_interval()
    {
        await using var loop = Start();

        _time.Advance(s_interval - TimeSpan.FromMilliseconds(1));
        Assert.Empty(_ticks);
        _time.Advance(TimeSpan.FromMilliseconds(1));
        _time.Advance(2 * s_interval);

        Assert.Equal([new Tick(1, s_interval, default), new Tick(2, s_interval, default), new Tick(3, s_interval, default)], _ticks);
        Assert.Equal(new TickStatistics(3, 0, 0, 0, default, default), loop.GetStatistics());
    }

    [Fact]
    public async Task Update_sees_no_async_local_of_the_caller_of_Start()
    {
        var local = new AsyncLocal<object?> { Value = new object() };
        var seen = Signal.New<object?>();
        await using var loop = new TickLoop((in Tick _) => seen.TrySetResult(local.Value), new TickLoopOptions { Interval = TimeSpan.FromMilliseconds(1) });

        loop.Start();

        Assert.Null(await seen.Task.InTime());
    }

    [Fact]
    public async Task A_loop_stops_while_the_program_holds_a_lock_on_its_options()
    {
        var options = new TickLoopOptions { TimeProvider = _time };
        await using var loop = new TickLoop((in Tick tick) => _ticks.Add(tick), options);
        var other = new Thread(() =>
        {
            loop.Start();
            _ = loop.StopAsync();
        });

        lock (options)
        {
            other.Start();
            Assert.True(other.Join(Deadline.Length));
        }
    }

    [Fact]
    public async Task Sixty_ticks_a_second_are_sixty_though_timers_count_milliseconds()
    {
        await using var loop = new TickLoop((in Tick tick) => _ticks.Add(tick), new TickLoopOptions { TimeProvider = _time });
        loop.Start();

        _time.Advance(TimeSpan.FromSeconds(10) + TimeSpan.FromMilliseconds(1));

        Assert.Equal(Enumerable.Range(1, 600).Select(number => (long)number), _ticks.Select(tick => tick.Number));
        Assert.All(_ticks, tick => Assert.InRange(tick.Late, TimeSpan.Zero, TimeSpan.FromMilliseconds(1)));
    }

    [Fact]
    public async Task A_loop_that_skips_runs_the_newest_tick_and_counts_the_others()
    {
        await using var loop = Start(update: (in Tick tick) =>
        {
            if (tick.Number == 1)
                _time.Pass(3.5 * s_interval);
        });

        _time.Advance(s_interval);
        _time.Advance(TimeSpan.FromMilliseconds(1));
        _time.Advance(s_interval);

        Assert.Equal([1, 4, 5], _ticks.Select(tick => tick.Number));
        Assert.Equal((0.5 * s_interval) + TimeSpan.FromMilliseconds(1), _ticks[1].Late);
        Assert.Equal(new TickStatistics(3, 1, 2, 0, default, 3.5 * s_interval), loop.GetStatistics());
    }

    [Fact]
    public async Task An_update_that_throws_is_reported_and_the_loop_goes_on()
    {
        var failures = new List<Exception>();
        await using var loop = Start(update: (in Tick tick) =>
        {
            if (tick.Number < 3)
                throw new InvalidOperationException($"tick {tick.Number}");
        });
        loop.Failed += failures.Add;
        loop.Failed += _ => throw new InvalidOperationException("from the listener");

        _time.Advance(3 * s_interval);

        Assert.Equal(["tick 1", "tick 2"], failures.Select(failure => failure.Message));
        Assert.Equal((3, 4), (loop.GetStatistics().Ticks, loop.GetStatistics().Failures));
    }

    [Fact]
    public async Task A_loop_stops_within_a_tick_even_while_ticks_are_due()
    {
        TickLoop? loop = null;
        Task? stopped = null;
        loop = Start(update: (in Tick tick) =>
        {
            if (tick.Number == 1)
                _time.Pass(3 * s_interval);
            else
                stopped = loop!.StopAsync();
        });

        _time.Advance(s_interval);
        _time.Advance(10 * s_interval);

        await stopped!.InTime();
        await loop.StopAsync().InTime();
        Assert.Equal(2, _ticks.Count);
        Assert.Throws<ObjectDisposedException>(loop.Start);
    }

    [Fact]
    public async Task A_loop_starts_once()
    {
        await using var loop = Start();

        Assert.Throws<InvalidOperationException>(loop.Start);
    }

    [Fact]
    public async Task A_tick_allocates_nothing()
    {
        var (intervals, ticks) = (0, 0);
        await using var loop = new TickLoop((in Tick _) => ticks++, new TickLoopOptions { TimeProvider = _time, Interval = s_interval });
        loop.Start();

        var allocated = Allocation.OfThousand(() =>
        {
            _time.Advance(s_interval);
            intervals++;
        });

        Assert.Equal(intervals, ticks);
        Assert.Equal(0, allocated);
    }

    [Fact]
    public async Task A_loop_ticks_by_the_system_s_clock()
    {
        var enough = Signal.New<Tick>();
        await using var loop = new TickLoop(
            (in Tick tick) =>
            {
                if (tick.Number >= 5)
                    enough.TrySetResult(tick);
            },
            new TickLoopOptions { Interval = TimeSpan.FromMilliseconds(2) });
        loop.Start();

        Assert.Equal(TimeSpan.FromMilliseconds(2), (await enough.Task.InTime()).Interval);
    }

    [Fact]
    public void Options_out_of_range_are_refused()
    {
        Assert.Throws<ArgumentOutOfRangeException>(() => new TickLoopOptions { Interval = TimeSpan.FromMicroseconds(999) });
        Assert.Throws<ArgumentOutOfRangeException>(() => new TickLoopOptions { Interval = TimeSpan.FromHours(2) });
    }

    private TickLoop Start(TickLoopOptions? options = null, TickUpdate? update = null)
    {
        var loop = new TickLoop(
            (in Tick tick) =>
            {
                _ticks.Add(tick);
                update?.Invoke(in tick);
            },
            options ?? new TickLoopOptions { TimeProvider = _time, Interval = s_interval });
        loop.Start();
        return loop;
    }
}
