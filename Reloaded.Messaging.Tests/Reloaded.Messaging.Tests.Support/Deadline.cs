namespace Reloaded.Messaging.Tests.Support;

/// <summary>How long a test waits for a signal that should come at once: long enough for a busy machine, and never for ever.</summary>
public static class Deadline
{
    public static readonly TimeSpan Length = TimeSpan.FromSeconds(60);

    public static Task InTime(this Task task) => task.WaitAsync(Length);

    public static Task<T> InTime<T>(this Task<T> task) => task.WaitAsync(Length);

    public static void WaitInTime(this ManualResetEventSlim signal)
    {
        if (!signal.Wait(Length))
            throw new TimeoutException("A signal did not come.");
    }

    /// <summary>Runs something that blocks, on a thread of its own.</summary>
    public static Task RunAside(Action action) =>
        Task.Factory.StartNew(action, CancellationToken.None, TaskCreationOptions.LongRunning, TaskScheduler.Default);

    /// <inheritdoc cref="RunAside(Action)"/>
    public static Task<T> RunAside<T>(Func<T> function) =>
        Task.Factory.StartNew(function, CancellationToken.None, TaskCreationOptions.LongRunning, TaskScheduler.Default);
}
