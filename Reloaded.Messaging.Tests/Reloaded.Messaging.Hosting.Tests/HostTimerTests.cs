using System.Collections.Concurrent;
using Reloaded.Messaging.Hosting;
using Reloaded.Messaging.Tests.Support;
using Xunit;

namespace Reloaded.Messaging.Tests;

public sealed class HostTimerTests
{
    private readonly HostTimer _timer = new();

    [Fact]
    public async Task One_timer_ticks_every_host()
    {
        var (first, second) = (new Host(), new Host());
        _timer.Add(first.Tick);
        _timer.Add(second.Tick);

        await Signal.UntilAsync(() => first.Ticks >= 3 && second.Ticks >= 3);

        _timer.Remove(first.Tick);
        _timer.Remove(second.Tick);
    }

    [Fact]
    public async Task Removed_host_is_not_ticked_and_the_others_are()
    {
        var (removed, other) = (new Host(), new Host());
        _timer.Add(removed.Tick);
        _timer.Add(other.Tick);
        await Signal.UntilAsync(() => removed.Ticks > 0);

        _timer.Remove(removed.Tick);
        var begun = other.Ticks;
        await Signal.UntilAsync(() => other.Ticks >= begun + 2); // a tick that was running has ended
        var ticks = removed.Ticks;
        await Signal.UntilAsync(() => other.Ticks >= begun + 5);

        Assert.Equal(ticks, removed.Ticks);
        _timer.Remove(other.Tick);
    }

    [Fact]
    public async Task Timer_stops_with_its_last_host_and_starts_again_with_the_next()
    {
        var host = new Host();
        Assert.Null(_timer.Thread);
        _timer.Add(host.Tick);
        Assert.NotNull(_timer.Thread);
        _timer.Remove(host.Tick);
        _timer.Remove(host.Tick);
        Assert.Null(_timer.Thread);

        _timer.Add(host.Tick);
        var ticks = host.Ticks;
        await Signal.UntilAsync(() => host.Ticks > ticks);

        _timer.Remove(host.Tick);
        Assert.Null(_timer.Thread);
        var thread = host.Thread!;
        Assert.True(await Deadline.RunAside(() => thread.Join(Deadline.Length)), "The thread of a timer without hosts has not ended.");
    }

    [Fact]
    public async Task Timer_waits_between_two_ticks()
    {
        var times = new ConcurrentQueue<long>();
        Action<long> tick = times.Enqueue;
        _timer.Add(tick);
        await Signal.UntilAsync(() => times.Count >= 5);
        _timer.Remove(tick);

        var first = times.ToArray();
        Assert.InRange(first[4] - first[0], 4 * 25, long.MaxValue); // a busy machine waits longer, and none waits half as long
    }

    [Fact]
    public async Task Ticks_have_no_async_local_values_of_the_thread_that_added_the_host()
    {
        var local = new AsyncLocal<string?> { Value = "of the first host" };
        var seen = new TaskCompletionSource<string?>(TaskCreationOptions.RunContinuationsAsynchronously);
        Action<long> tick = _ => seen.TrySetResult(local.Value);

        _timer.Add(tick);

        Assert.Null(await seen.Task.InTime());
        _timer.Remove(tick);
    }

    private sealed class Host
    {
        private int _ticks;

        public int Ticks => Volatile.Read(ref _ticks);

        /// <summary>The thread of the last tick.</summary>
        public Thread? Thread { get; private set; }

        public void Tick(long now)
        {
            Thread = Thread.CurrentThread;
            Interlocked.Increment(ref _ticks);
        }
    }
}
