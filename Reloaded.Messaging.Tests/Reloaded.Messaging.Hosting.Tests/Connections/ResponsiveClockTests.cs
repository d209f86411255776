using Reloaded.Messaging.Hosting;
using Reloaded.Messaging.Tests.Support;
using Xunit;

namespace Reloaded.Messaging.Tests.Connections;

public sealed class ResponsiveClockTests
{
    private readonly ResponsiveClock _clock = new();
    private long _now = Environment.TickCount64;

    [Fact]
    public void Tick_on_time_counts_its_time()
    {
        Tick(0);
        var start = _clock.Now;

        for (var i = 0; i < 10; i++)
            Tick(50);

        Assert.Equal(500, _clock.Now - start);
    }

    [Fact]
    public void Late_tick_counts_one_step()
    {
        Tick(0);
        var start = _clock.Now;

        Tick(60_000);

        Assert.Equal(ResponsiveClock.MaxStep, _clock.Now - start);
    }

    [Fact]
    public async Task Time_does_not_count_until_the_thread_pool_has_run_a_probe()
    {
        Tick(0);
        var start = _clock.Now;

        _clock.Probe();
        await Signal.UntilAsync(() =>
        {
            Tick(50);
            return _clock.Now > start;
        });

        Assert.Equal(50, _clock.Now - start); // the first tick that counts is the one after the probe
    }

    private void Tick(long time) => _clock.Tick(_now += time);
}
