namespace Reloaded.Messaging;

/// <summary>The counts of one pump.</summary>
/// <param name="Pumped">The number of messages that were taken from the queue and dispatched.</param>
/// <param name="Handled">The number of those that reached a handler or the fallback. The counts of the dispatcher explain the others.</param>
/// <param name="Remaining">The number of messages that were queued at the end. Approximate while producers are active.</param>
public readonly record struct PumpResult(int Pumped, int Handled, int Remaining);
