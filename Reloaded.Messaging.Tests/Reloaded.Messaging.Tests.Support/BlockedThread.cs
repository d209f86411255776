namespace Reloaded.Messaging.Tests.Support;

/// <summary>The main thread of a game or a window that waits for a call: code that was posted to the thread does not run meanwhile.</summary>
public static class BlockedThread
{
    /// <summary>Runs a call on such a thread.</summary>
    public static Task RunAsync(Action call) => Task.Run(() =>
    {
        SynchronizationContext.SetSynchronizationContext(new Context());
        try
        {
            call();
        }
        finally
        {
            SynchronizationContext.SetSynchronizationContext(null);
        }
    }).InTime();

    private sealed class Context : SynchronizationContext
    {
        public override void Post(SendOrPostCallback d, object? state)
        {
        }
    }
}
