using Reloaded.Messaging.Tests.Support;
using Xunit;
using PeriodicTimer = Reloaded.Messaging.Polyfills.PeriodicTimer;

namespace Reloaded.Messaging.Tests.Polyfills;

public sealed class PeriodicTimerTests
{
    private static readonly TimeSpan s_period = TimeSpan.FromSeconds(1);

    private readonly ManualTime _time = new();

    [Fact]
    public async Task A_wait_ends_with_the_next_tick()
    {
        using var timer = new PeriodicTimer(s_period, _time);
        for (var tick = 0; tick < 3; tick++)
        {
            var wait = timer.WaitForNextTickAsync().AsTask();
            Assert.False(wait.IsCompleted);

            _time.Advance(s_period);

            Assert.True(await wait.InTime());
        }
    }

    [Fact]
    public async Task Ticks_that_nobody_waited_for_are_one()
    {
        using var timer = new PeriodicTimer(s_period, _time);
        _time.Advance(3 * s_period);

        Assert.True(await timer.WaitForNextTickAsync());

        var wait = timer.WaitForNextTickAsync().AsTask();
        Assert.False(wait.IsCompleted);
    }

    [Fact]
    public async Task A_period_that_is_set_begins_anew()
    {
        using var timer = new PeriodicTimer(s_period, _time);
        var wait = timer.WaitForNextTickAsync().AsTask();
        _time.Advance(0.5 * s_period);

        timer.Period = 2 * s_period;

        Assert.Equal(2 * s_period, timer.Period);
        _time.Advance(1.9 * s_period);
        Assert.False(wait.IsCompleted);
        _time.Advance(0.1 * s_period);
        Assert.True(await wait.InTime());
    }

    [Fact]
    public async Task Disposing_ends_a_wait_and_every_later_one()
    {
        var timer = new PeriodicTimer(s_period, _time);
        _time.Advance(s_period);
        Assert.True(await timer.WaitForNextTickAsync());
        var wait = timer.WaitForNextTickAsync().AsTask();

        timer.Dispose();
        timer.Dispose();

        Assert.False(await wait.InTime());
        Assert.False(await timer.WaitForNextTickAsync());
    }

    [Fact]
    public void A_timer_that_was_disposed_takes_no_period()
    {
        var timer = new PeriodicTimer(s_period);
        timer.Dispose();

        Assert.Throws<ObjectDisposedException>(() => timer.Period = s_period);
    }

    [Fact]
    public async Task What_its_maker_had_in_an_AsyncLocal_is_not_kept()
    {
        var local = new AsyncLocal<object?> { Value = new object() };
        var seen = Signal.New<object?>();
        var time = new Listening(() => seen.TrySetResult(local.Value));

        using var timer = new PeriodicTimer(TimeSpan.FromMilliseconds(1), time);

        Assert.Null(await seen.Task.InTime());
        Assert.False(ExecutionContext.IsFlowSuppressed());
    }

    /// <summary>The system's timers, and a word at each call of one.</summary>
    private sealed class Listening(Action called) : TimeProvider
    {
        public override ITimer CreateTimer(TimerCallback callback, object? state, TimeSpan dueTime, TimeSpan period) =>
            base.CreateTimer(state => { called(); callback(state); }, state, dueTime, period);
    }
}
