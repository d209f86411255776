using System.Runtime.CompilerServices;

namespace Reloaded.Messaging.Polyfills;

internal static class ThreadingExtensions
{
    extension(ThreadPool)
    {
        public static void UnsafeQueueUserWorkItem(IThreadPoolWorkItem item, bool preferLocal)
        {
            _ = preferLocal; // this target does not support the option
            WorkQueue.Add(item);
        }
    }

    public static CancellationTokenRegistration UnsafeRegister(this CancellationToken token, Action<object?> callback, object? state)
    {
        using (Detached.Begin())
            return token.Register(callback, state);
    }

    /// <summary>Unregisters the callback. Waits for a callback that runs on another thread; all callbacks of this assembly are short.</summary>
    public static void Unregister(this CancellationTokenRegistration registration) => registration.Dispose();

    public static Task CancelAsync(this CancellationTokenSource source) => Detached.Run(source.Cancel);

    /// <summary>Waits for a task, and ignores its result and its exception.</summary>
    public static ConfiguredTaskAwaitable ConfigureAwait(this Task task, ConfigureAwaitOptions options)
    {
        _ = options; // there is one
        return task.ContinueWith(static ended => { _ = ended.Exception; }, default, TaskContinuationOptions.ExecuteSynchronously, TaskScheduler.Default).ConfigureAwait(false);
    }

    public static Task WaitAsync(this Task task, CancellationToken cancellationToken) => task.WaitAsync(Timeout.InfiniteTimeSpan, cancellationToken);

    public static Task WaitAsync(this Task task, TimeSpan timeout, CancellationToken cancellationToken = default) =>
        task.IsCompleted || (timeout == Timeout.InfiniteTimeSpan && !cancellationToken.CanBeCanceled) ? task : WaitForAsync(task, timeout, cancellationToken);

    public static Task<T> WaitAsync<T>(this Task<T> task, CancellationToken cancellationToken) => task.WaitAsync(Timeout.InfiniteTimeSpan, cancellationToken);

    public static Task<T> WaitAsync<T>(this Task<T> task, TimeSpan timeout, CancellationToken cancellationToken = default) =>
        task.IsCompleted || (timeout == Timeout.InfiniteTimeSpan && !cancellationToken.CanBeCanceled) ? task : WaitForResultAsync(task, timeout, cancellationToken);

    private static async Task<T> WaitForResultAsync<T>(Task<T> task, TimeSpan timeout, CancellationToken cancellationToken)
    {
        await WaitForAsync(task, timeout, cancellationToken).ConfigureAwait(false);
        return await task.ConfigureAwait(false);
    }

    private static async Task WaitForAsync(Task task, TimeSpan timeout, CancellationToken cancellationToken)
    {
        cancellationToken.ThrowIfCancellationRequested();
        using var ended = CancellationTokenSource.CreateLinkedTokenSource(cancellationToken);
        var delay = Task.Delay(timeout, ended.Token);
        if (await Task.WhenAny(task, delay).ConfigureAwait(false) == task)
        {
            ended.Cancel(); // frees the timer
            await task.ConfigureAwait(false);
            return;
        }

        cancellationToken.ThrowIfCancellationRequested();
        throw new TimeoutException();
    }
}

internal static class ThreadExtensions
{
    /// <summary>Starts the thread without the AsyncLocal values of the caller.</summary>
    public static void UnsafeStart(this Thread thread)
    {
        using (Detached.Begin())
            thread.Start();
    }
}

/// <summary>Creates and completes a task without a result.</summary>
internal sealed class TaskCompletionSource(TaskCreationOptions options = TaskCreationOptions.None) : TaskCompletionSource<bool>(options)
{
    public void SetResult() => SetResult(true);

    public bool TrySetResult() => TrySetResult(true);
}

/// <summary>A work item of the <see cref="WorkQueue"/>, which replaces the thread pool for such items on this target.</summary>
internal interface IThreadPoolWorkItem
{
    void Execute();
}

/// <summary>Replaces the type of newer targets, with the member that this library uses.</summary>
internal enum ConfigureAwaitOptions
{
    SuppressThrowing = 2,
}

/// <summary>Threads that the library starts on this target.</summary>
internal static class LibraryThread
{
    private const int StackSize = 256 * 1024;

    /// <summary>Starts a background thread, without the AsyncLocal values of the caller.</summary>
    public static void Start(string name, ThreadStart body) =>
        new Thread(body, StackSize) { IsBackground = true, Name = name }.UnsafeStart();
}
