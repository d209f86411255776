namespace Reloaded.Messaging.Tests.Support;

/// <summary>Threads of a program whose surroundings must not matter to a host. Each call returns when the action has run.</summary>
internal static class CallerThread
{
    /// <summary>A thread of a window that ended: what is posted to its context never runs.</summary>
    public static void RunWithSilentContext(Action action) => RunWithContext(new SilentContext(), action);

    /// <summary>A thread of a window that ended, whose context refuses what is posted.</summary>
    public static void RunWithThrowingContext(Action action) => RunWithContext(new ThrowingContext(), action);

    /// <summary>A task of a scheduler that runs one task at a time, and waits until that task ends.</summary>
    public static void RunAsExclusiveTask(Action action)
    {
        var schedulers = new ConcurrentExclusiveSchedulerPair();
        Task.Factory.StartNew(action, CancellationToken.None, TaskCreationOptions.LongRunning, schedulers.ExclusiveScheduler).InTime().GetAwaiter().GetResult();
    }

    private static void RunWithContext(SynchronizationContext context, Action action) => OtherThread.Run(() =>
    {
        SynchronizationContext.SetSynchronizationContext(context);
        action();
    });

    private sealed class SilentContext : SynchronizationContext
    {
        public override void Post(SendOrPostCallback d, object? state)
        {
            // As a window that ended.
        }
    }

    private sealed class ThrowingContext : SynchronizationContext
    {
        public override void Post(SendOrPostCallback d, object? state) => throw new InvalidOperationException("The window has ended.");
    }
}
