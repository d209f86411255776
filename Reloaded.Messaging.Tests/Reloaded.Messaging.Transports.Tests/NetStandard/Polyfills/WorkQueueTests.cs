using Reloaded.Messaging.Polyfills;
using Reloaded.Messaging.Tests.Support;
using Xunit;

namespace Reloaded.Messaging.Tests.Polyfills;

public sealed class WorkQueueTests
{
    [Fact]
    public void Item_runs_while_all_threads_of_the_queue_and_two_helpers_are_blocked()
    {
        var isReleased = new ManualResetEventSlim(); // not disposed: a blocked item may still use it
        for (var i = Math.Max(8, Environment.ProcessorCount) + 2; i > 0; i--)
            WorkQueue.Add(_ => isReleased.Wait(Deadline.Length), null);
        WorkQueue.Add(_ => isReleased.Set(), null);

        isReleased.WaitInTime();
    }
}
