using System.Collections.Concurrent;

namespace Reloaded.Messaging.Hosting;

/// <summary>Calls the event handlers of a host. An exception of an event handler is reported like the exception of a message handler. Thread-safe.</summary>
internal sealed class HostEvents
{
    private readonly ConcurrentDictionary<Task, bool> _raising = new(concurrencyLevel: 1, capacity: 1);

    /// <summary>Counts and reports the exceptions of message handlers and event handlers.</summary>
    public readonly FailureReporter<HandlerFailure> Failures = new(static failure => UnheardFailure.Write(failure.Exception, failure.Place, "MessageHost.HandlerFailed"));

    /// <summary>Counts an exception of a listener of spans whose message goes to many peers. The event <see cref="MessageHost.HandlerFailed"/> names one peer, so it is not raised.</summary>
    public Action<Exception> ObserverFailed => field ??= _ => Failures.CountOnly();

    public void ReportFailure(Peer? peer, uint type, Exception exception) => Failures.Report(new HandlerFailure(peer, type, exception) { TypeName = type == 0 ? null : peer?.Host.Contracts.Find(type)?.MessageType.Name });

    /// <summary>Raises an event on the thread pool, so that an event handler that blocks does not delay the caller. Disposing the host waits for the event.</summary>
    /// <param name="raise">Raises the event. It must not throw.</param>
    /// <returns>A task that completes when the event handlers have returned.</returns>
    public Task RaiseLater(Action raise)
    {
        var raising = Detached.Run(raise);
        Track(raising);
        return raising;
    }

    /// <summary>Has the disposal of the host wait for a task that raises events.</summary>
    /// <param name="raising">The task. It must not fail.</param>
    public void Track(Task raising)
    {
        _raising[raising] = true;
        _ = raising.ContinueWith(static (task, all) => ((ConcurrentDictionary<Task, bool>)all!).TryRemove(task, out _), _raising, CancellationToken.None, TaskContinuationOptions.ExecuteSynchronously, TaskScheduler.Default);
    }

    /// <summary>Completes when each task that is tracked now has raised its events.</summary>
    public Task WaitUntilRaisedAsync() => Task.WhenAll(_raising.Keys);

    /// <summary>Calls code of the program or of a transport. Its exception is reported like the exception of a message handler.</summary>
    /// <param name="peer">The peer that the call concerns; <c>null</c> if it concerns no peer.</param>
    /// <param name="call">The call.</param>
    public void Call(Peer? peer, Action call) => Failures.Call(call, e => new HandlerFailure(peer, 0, e));

    /// <inheritdoc cref="Call(Peer, Action)"/>
    public async Task CallAsync(Peer? peer, Func<ValueTask> call)
    {
        try
        {
            await call().ConfigureAwait(false);
        }
        catch (Exception e)
        {
            ReportFailure(peer, 0, e);
        }
    }
}
