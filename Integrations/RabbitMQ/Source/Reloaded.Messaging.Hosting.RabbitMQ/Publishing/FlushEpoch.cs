using System;
using System.Threading.Tasks;

namespace Reloaded.Messaging.Hosting.RabbitMQ;

/// <summary>The messages that were added between two flushes.</summary>
internal sealed class FlushEpoch
{
    private readonly TaskCompletionSource _done = new(TaskCreationOptions.RunContinuationsAsynchronously);

    /// <summary>The number of its messages that are not yet completed.</summary>
    public long Open { get; set; }

    /// <summary>The reason why the flush fails; <see langword="null"/> if it does not.</summary>
    public Exception? Failure { get; private set; }

    public Task Done => _done.Task;

    /// <summary>Makes the flush fail. The first reason counts.</summary>
    public void Fail(Exception reason) => Failure ??= reason;

    /// <summary>Completes the flush.</summary>
    public void Complete()
    {
        if (Failure is null)
        {
            _done.SetResult();
            return;
        }

        _done.SetException(Failure);
        _ = _done.Task.Exception; // observed, because there may be no waiting caller
    }
}
