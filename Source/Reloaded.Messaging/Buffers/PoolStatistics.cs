namespace Reloaded.Messaging;

/// <summary>What the pool holds. Exact while no thread packs or releases.</summary>
/// <param name="Outstanding">Buffers in use. A number that grows without end is a leak: messages that nobody releases.</param>
/// <param name="Spare">Buffers that wait to be used again.</param>
/// <param name="SecondReleases">Releases of messages that had been released before, since the process started: each is a fault in the program that made it.</param>
public readonly record struct PoolStatistics(int Outstanding, int Spare, long SecondReleases);
