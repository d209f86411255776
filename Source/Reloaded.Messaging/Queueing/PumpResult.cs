namespace Reloaded.Messaging;

/// <summary>What a pump did.</summary>
/// <param name="Pumped">The messages that were taken off the queue and dispatched.</param>
/// <param name="Handled">Those of them that reached a handler or the fallback; the dispatcher's counts tell why others did not.</param>
/// <param name="Remaining">The messages that were left when it ended, roughly, while producers go on.</param>
public readonly record struct PumpResult(int Pumped, int Handled, int Remaining);
