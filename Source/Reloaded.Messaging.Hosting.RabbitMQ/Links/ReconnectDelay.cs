using System;

namespace Reloaded.Messaging.Hosting.RabbitMQ;

/// <summary>The wait before the next attempt: doubled for each failure and for each connection that ended soon, with jitter.</summary>
/// <param name="longest">The longest wait before jitter. A connection that lasts longer starts the waits anew.</param>
internal sealed class ReconnectDelay(TimeSpan longest)
{
    private static readonly TimeSpan s_shortest = TimeSpan.FromMilliseconds(100);

    private TimeSpan _delay = s_shortest;

    /// <summary>Starts anew after a connection that lasted. A connection that the broker ends at once must not be repeated without a pause.</summary>
    public void NoteLost(TimeSpan lasted)
    {
        if (lasted > longest)
            _delay = s_shortest;
    }

    /// <summary>Returns the next wait. Half of the wait is random, so that hosts that lost one broker do not return at once.</summary>
    public TimeSpan Next()
    {
        var next = _delay * (0.75 + (0.5 * Random.Shared.NextDouble()));
        _delay = _delay * 2 < longest ? _delay * 2 : longest;
        return next;
    }
}
