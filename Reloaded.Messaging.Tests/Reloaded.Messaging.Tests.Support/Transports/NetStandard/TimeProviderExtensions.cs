namespace Reloaded.Messaging;

/// <summary>Methods that .NET has for its own clock, for the clock of the netstandard2.1 build.</summary>
internal static class TimeProviderExtensions
{
    extension(Task)
    {
        public static async Task Delay(TimeSpan delay, TimeProvider time)
        {
            var due = new TaskCompletionSource<bool>(TaskCreationOptions.RunContinuationsAsynchronously);
            await using var timer = time.CreateTimer(static due => ((TaskCompletionSource<bool>)due!).TrySetResult(true), due, delay, Timeout.InfiniteTimeSpan);
            await due.Task;
        }
    }
}
