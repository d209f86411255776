using System;

namespace Reloaded.Messaging.Hosting.RabbitMQ;

/// <summary>The delay before the next attempt. It doubles with each failure and with each connection that ended soon, and has jitter.</summary>
/// <param name="longest">The longest delay before jitter. A connection that lasts longer resets the delay.</param>
internal sealed class ReconnectDelay(TimeSpan longest)
{
    private static readonly TimeSpan s_shortest = TimeSpan.FromMilliseconds(100);

    private TimeSpan _delay = s_shortest;

    /// <summary>Resets the delay if the connection lasted. Without this condition, a connection that the broker always ends would be repeated without a pause.</summary>
    public void NoteLost(TimeSpan lasted)
    {
        if (lasted > longest)
            _delay = s_shortest;
    }

    /// <summary>Returns the next delay. Half of it is random, so that hosts that lost the same broker do not return at the same time.</summary>
    public TimeSpan Next()
    {
        var next = _delay * (0.75 + (0.5 * Random.Shared.NextDouble()));
        _delay = _delay * 2 < longest ? _delay * 2 : longest;
        return next;
    }
}
