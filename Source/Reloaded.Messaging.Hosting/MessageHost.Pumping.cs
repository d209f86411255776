using System;
using Reloaded.Messaging.Hosting.Receiving;
using Reloaded.Messaging.Queueing;

namespace Reloaded.Messaging.Hosting;

/// <content>Handlers on a thread of the program's own.</content>
public abstract partial class MessageHost
{
    private readonly PumpQueue? _pump;

    internal PumpQueue? Pumping => _pump;

    /// <summary>Runs the handlers of messages that came since the last call, and what awaits in earlier ones have waited for. One thread at a time.</summary>
    /// <param name="budget">When to stop.</param>
    /// <returns>What was done.</returns>
    /// <exception cref="InvalidOperationException">The host was made without <see cref="HostOptions.IsPumped"/>: its handlers run on the thread pool.</exception>
    public PumpResult Pump(PumpBudget budget = default)
    {
        if (_pump is null)
            throw new InvalidOperationException("This host runs its handlers on the thread pool, and has nothing to pump. Make it with HostOptions.IsPumped to have them run here.");
        return _pump.Pump(budget);
    }
}
