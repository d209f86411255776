using System;
using System.Threading;
using System.Threading.Tasks;

namespace Reloaded.Messaging.Hosting;

/// <content>Handlers on a thread of the program's own.</content>
public abstract partial class MessageHost
{
    private readonly PumpQueue? _pump;

    private readonly PumpWatch? _pumpWatch;

    /// <summary>Messages wait, and <see cref="Pump"/> was not called for <see cref="MessageHostOptions.RequestTimeout"/>. Raised on the thread pool, once for each time that the calls stop.</summary>
    /// <remarks>Requests of the remote side time out meanwhile. <see cref="HostStatistics.PumpStalls"/> counts these events.</remarks>
    public event Action<PumpStall>? PumpStalled;

    internal PumpQueue? Pumping => _pump;

    /// <summary>Runs the handlers of messages that came since the last call, and what awaits in earlier ones have waited for. One thread at a time.</summary>
    /// <param name="budget">When to stop.</param>
    /// <returns>What was done.</returns>
    /// <exception cref="InvalidOperationException">The host was made without <see cref="MessageHostOptions.IsPumped"/>: its handlers run on the thread pool.</exception>
    public PumpResult Pump(PumpBudget budget = default)
    {
        if (_pump is null)
            throw new InvalidOperationException("This host runs its handlers on the thread pool, and has nothing to pump. Make it with MessageHostOptions.IsPumped to have them run here.");
        _pumpWatch!.NotePump();
        try
        {
            return _pump.Pump(budget);
        }
        finally
        {
            _pumpWatch.NotePump();
        }
    }

    private void RaisePumpStalled(PumpStall stall) => Task.Run(() =>
    {
        try
        {
            PumpStalled?.Invoke(stall);
        }
        catch (Exception)
        {
            Interlocked.Increment(ref _handlerFailures); // HandlerFailed tells of a peer's handlers, and this concerns no peer
        }
    });
}
