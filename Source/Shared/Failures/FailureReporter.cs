namespace Reloaded.Messaging.Hosting;

/// <summary>Raises events, and counts the exceptions of message handlers and event handlers. No exception of an event handler reaches the caller. Thread-safe.</summary>
/// <typeparam name="TFailure">The description of an exception.</typeparam>
/// <param name="unheard">Called for the first exception that is reported while <see cref="Failed"/> has no subscriber; <see langword="null"/> for no call.</param>
internal sealed class FailureReporter<TFailure>(Action<TFailure>? unheard = null)
{
    private long _count;
    private Action<TFailure>? _unheard = unheard; // null after its call

    /// <summary>Raised for each exception that is passed to <see cref="Report"/>.</summary>
    public event Action<TFailure>? Failed;

    /// <summary>The number of exceptions.</summary>
    public long Count => Volatile.Read(ref _count);

    /// <summary>Counts an exception, and raises <see cref="Failed"/>.</summary>
    public void Report(TFailure failure)
    {
        Interlocked.Increment(ref _count);
        Call(Failed ?? Interlocked.Exchange(ref _unheard, null), failure);
    }

    /// <summary>Counts an exception that no event reports.</summary>
    public void CountOnly() => Interlocked.Increment(ref _count);

    /// <summary>Raises another event. An exception of its event handlers is counted, and not reported.</summary>
    public void Call<T>(Action<T>? listeners, T argument)
    {
        try
        {
            listeners?.Invoke(argument);
        }
        catch (Exception)
        {
            CountOnly(); // only the counter can report this exception
        }
    }

    /// <summary>Raises another event. An exception of its event handlers is reported like the exception of a message handler.</summary>
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

/// <summary>Writes an exception that no event reports to the standard error, so that a developer sees that code of the program failed.</summary>
internal static class UnheardFailure
{
    /// <param name="exception">The exception.</param>
    /// <param name="place">Where the exception was thrown.</param>
    /// <param name="reporter">The event that has no subscriber.</param>
    public static void Write(Exception exception, string place, string reporter) => Console.Error.WriteLine(RemoteText.Clean(
        $"Reloaded.Messaging: code of the program threw {exception.GetType().FullName}: {exception.Message} ({place}). {reporter} has no subscriber. Subscribe to it to receive every failure; only the first one is written."));
}
