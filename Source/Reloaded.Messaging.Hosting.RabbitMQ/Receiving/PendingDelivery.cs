using System;
using System.Threading;
using System.Threading.Tasks;
using Reloaded.Messaging.Dispatching;

namespace Reloaded.Messaging.Hosting.RabbitMQ.Receiving;

/// <summary>A delivery of which handlers still run. The last to end settles it.</summary>
internal sealed class PendingDelivery(Consumer consumer, ulong tag)
{
    private readonly object _gate = new();
    private Outcome _worst;
    private int _open = 1;

    public void Add() => Interlocked.Increment(ref _open);

    public async Task ObserveAsync(ValueTask<DispatchStatus> call, uint type, Incoming incoming)
    {
        Outcome outcome;
        try
        {
            await call.ConfigureAwait(false);
            outcome = Outcome.Done;
        }
        catch (Exception e)
        {
            outcome = consumer.Fail(type, in incoming, e);
        }

        await EndAsync(outcome).ConfigureAwait(false);
    }

    public Task EndAsync(Outcome outcome)
    {
        lock (_gate)
        {
            if (outcome > _worst)
                _worst = outcome;
        }

        return Interlocked.Decrement(ref _open) == 0 ? consumer.SettleAsync(tag, _worst, wasPending: true) : Task.CompletedTask;
    }
}
