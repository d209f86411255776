using System;
using System.Threading;

namespace Reloaded.Messaging.Hosting;

/// <summary>Calls the listeners of events, and counts the exceptions of handlers and listeners. No exception of a listener reaches the caller. Thread-safe.</summary>
/// <typeparam name="TFailure">The description of an exception.</typeparam>
internal sealed class FailureReporter<TFailure>
{
    private long _count;

    /// <summary>Raised for each exception that <see cref="Report"/> is given.</summary>
    public event Action<TFailure>? Failed;

    /// <summary>The number of exceptions.</summary>
    public long Count => Volatile.Read(ref _count);

    /// <summary>Counts an exception, and raises <see cref="Failed"/>.</summary>
    public void Report(TFailure failure)
    {
        Interlocked.Increment(ref _count);
        Call(Failed, failure);
    }

    /// <summary>Calls the listeners of another event. Their exception is counted, and not reported.</summary>
    public void Call<T>(Action<T>? listeners, T argument)
    {
        try
        {
            listeners?.Invoke(argument);
        }
        catch (Exception)
        {
            Interlocked.Increment(ref _count); // the counter alone can tell of it
        }
    }

    /// <summary>Calls the listeners of another event. Their exception is reported as that of a handler.</summary>
    public void Call(Action call, Func<Exception, TFailure> describe)
    {
        try
        {
            call();
        }
        catch (Exception e)
        {
            Report(describe(e));
        }
    }
}
