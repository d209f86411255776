using System;

namespace Reloaded.Messaging.Games;

/// <summary>The counts of a loop since its start. Each value is exact; the values together are from about the same moment.</summary>
/// <param name="Ticks">The number of ticks that ran.</param>
/// <param name="Overruns">The number of ticks that took longer than the interval, including pump and flush.</param>
/// <param name="Skipped">The number of ticks that were skipped.</param>
/// <param name="Failures">The number of exceptions of updates, pumps and listeners.</param>
/// <param name="Last">The duration of the last tick.</param>
/// <param name="Worst">The duration of the longest tick.</param>
public readonly record struct TickStatistics(long Ticks, long Overruns, long Skipped, long Failures, TimeSpan Last, TimeSpan Worst);
