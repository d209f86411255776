namespace Reloaded.Messaging.Tests.Support;

/// <summary>Waits for events and for conditions that have no event.</summary>
public static class Signal
{
    public static TaskCompletionSource<T> New<T>() => new(TaskCreationOptions.RunContinuationsAsynchronously);

    /// <summary>Checks a condition again and again until it is true. A thread with a context or a scheduler of its own may wait for it.</summary>
    public static Task UntilAsync(Func<bool> condition) => UntilAsync(() => Task.FromResult(condition()));

    /// <inheritdoc cref="UntilAsync(Func{bool})"/>
    public static Task UntilAsync(Func<bool> condition, Func<string> describe) => UntilAsync(() => Task.FromResult(condition()), describe);

    /// <inheritdoc cref="UntilAsync(Func{bool})"/>
    public static async Task UntilAsync(Func<Task<bool>> condition, Func<string>? describe = null)
    {
        var end = Environment.TickCount64 + (long)Deadline.Length.TotalMilliseconds;
        while (!await condition().ConfigureAwait(false))
        {
            if (Environment.TickCount64 > end)
                throw new TimeoutException($"The condition was not true within {Deadline.Length.TotalSeconds} s. {describe?.Invoke()}");
            await Task.Delay(5).ConfigureAwait(false);
        }
    }
}
