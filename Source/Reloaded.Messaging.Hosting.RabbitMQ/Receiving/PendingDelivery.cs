using System;
using System.Threading;
using System.Threading.Tasks;

namespace Reloaded.Messaging.Hosting.RabbitMQ;

/// <summary>A delivery whose handlers still run, or whose handlers published messages that are not confirmed. The last of these to end settles the delivery.</summary>
internal sealed class PendingDelivery(Consumer consumer, ulong tag, int tries) : IConfirmation, IHandlerScope, IThreadPoolWorkItem
{
    private readonly object _gate = new();
    private Outcome _worst;
    private int _open = 1;

    public void Add() => Interlocked.Increment(ref _open);

    /// <summary>Makes the delivery wait for a message.</summary>
    /// <returns><see langword="false"/> if the delivery is already settled; otherwise, <see langword="true"/>.</returns>
    private bool TryAdd()
    {
        var open = Volatile.Read(ref _open);
        while (open > 0)
        {
            var before = Interlocked.CompareExchange(ref _open, open + 1, open);
            if (before == open)
                return true;
            open = before;
        }

        return false;
    }

    public IConfirmation? Track() => TryAdd() ? this : null;

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
            outcome = consumer.Handlers.OutcomeOf(HandlerInvoker.Fail(type, ref incoming, e));
        }

        await EndAsync(outcome).ConfigureAwait(false);
    }

    public Task EndAsync(Outcome outcome) => End(outcome) ? SettleAsync() : Task.CompletedTask;

    /// <summary>Records that a message that a handler published is confirmed or lost. After a loss, the delivery must be handled again.</summary>
    public void Complete(bool isConfirmed)
    {
        if (End(isConfirmed ? Outcome.Done : Outcome.Again))
            ThreadPool.UnsafeQueueUserWorkItem(this, preferLocal: false); // the caller holds the lock of a queue
    }

    void IThreadPoolWorkItem.Execute() => _ = SettleAsync();

    private bool End(Outcome outcome)
    {
        lock (_gate)
        {
            if (outcome > _worst)
                _worst = outcome;
        }

        return Interlocked.Decrement(ref _open) == 0;
    }

    private Task SettleAsync() => consumer.SettleAsync(tag, _worst, tries, wasPending: true);
}
