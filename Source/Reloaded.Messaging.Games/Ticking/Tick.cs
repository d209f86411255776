namespace Reloaded.Messaging.Games;

/// <summary>Describes the tick of an update.</summary>
/// <param name="Number">The number of the tick, from 1, including skipped ticks. Multiplied by the interval, it is the loop's time.</param>
/// <param name="Interval">The simulated time of the tick: always the loop's interval.</param>
/// <param name="Late">The delay between the due time and the start of the tick: zero or more.</param>
public readonly record struct Tick(long Number, TimeSpan Interval, TimeSpan Late);
