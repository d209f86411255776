using System;

namespace Reloaded.Messaging;

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
