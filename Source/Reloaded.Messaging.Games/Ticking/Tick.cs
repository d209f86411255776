using System;

namespace Reloaded.Messaging.Games;

/// <summary>The tick that an update is for.</summary>
/// <param name="Number">Its number, from 1, skipped ticks included: times the interval, it is the loop's time.</param>
/// <param name="Interval">How much time it stands for: always the loop's interval.</param>
/// <param name="Late">How long after its time it began; zero or more.</param>
public readonly record struct Tick(long Number, TimeSpan Interval, TimeSpan Late);
