using Reloaded.Messaging.Games;
using Reloaded.Messaging.Tests.Support;
using Xunit;

namespace Reloaded.Messaging.Tests.Ticking;

/// <summary>Failures without a subscriber of TickLoop.Failed. They are written to the standard error of the process, so nothing else may run.</summary>
[Quiet]
public sealed class UnheardFailureTests
{
    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public async Task First_failure_without_a_subscriber_is_written_to_the_standard_error(bool isSubscribed)
    {
        var time = new ManualTime();
        var interval = TimeSpan.FromMilliseconds(20);
        await using var loop = new TickLoop((in Tick tick) => throw new InvalidOperationException($"failure {tick.Number}"), new TickLoopOptions { Interval = interval, TimeProvider = time });
        if (isSubscribed)
            loop.Failed += _ => { };
        var written = new StandardError();
        using (written)
        {
            loop.Start();
            time.Advance(2 * interval);
        }

        var text = written.ToString();
        Assert.Equal(2, loop.GetStatistics().Failures);
        Assert.Equal(!isSubscribed, text.Contains("threw System.InvalidOperationException: failure 1 (tick loop). TickLoop.Failed has no subscriber.", StringComparison.Ordinal));
        Assert.DoesNotContain("failure 2", text, StringComparison.Ordinal);
    }
}
