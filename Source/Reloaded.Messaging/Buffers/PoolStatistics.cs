namespace Reloaded.Messaging;

/// <summary>The contents of the pool. Exact while no thread packs, releases or pumps a queue: a pump returns the buffers of other threads 32 at a time, and the rest at its end.</summary>
/// <param name="Outstanding">The number of buffers in use. A number that only grows means that messages are not released.</param>
/// <param name="Spare">The number of spare buffers.</param>
/// <param name="SecondReleases">The number of releases of messages that were already released, since the process started. Each is a defect of the program.</param>
public readonly record struct PoolStatistics(int Outstanding, int Spare, long SecondReleases);
