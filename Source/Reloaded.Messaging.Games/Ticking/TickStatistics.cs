using System;

namespace Reloaded.Messaging.Games;

/// <summary>What a loop did, since it started. Each is exact; together they are of about the same moment.</summary>
/// <param name="Ticks">Ticks that ran.</param>
/// <param name="Overruns">Those of them that took longer than the interval, pump and flush included.</param>
/// <param name="Skipped">Ticks that never ran, because it was too late for them.</param>
/// <param name="Failures">Exceptions from updates, pumps and listeners.</param>
/// <param name="Last">How long the last tick took.</param>
/// <param name="Worst">How long the longest one took.</param>
public readonly record struct TickStatistics(long Ticks, long Overruns, long Skipped, long Failures, TimeSpan Last, TimeSpan Worst);
