using Reloaded.Messaging.Tests.Support;
using Xunit;

namespace Reloaded.Messaging.Tests.Callers;

/// <summary>What the threads of <see cref="CallerThread"/> can wait for without waiting for themselves.</summary>
public sealed class CallerThreadTests
{
    [Fact]
    public void Thread_whose_context_runs_nothing_waits_for_a_condition() => CallerThread.RunWithSilentContext(WaitForThirdCheck);

    [Fact]
    public void Thread_whose_context_throws_waits_for_a_condition() => CallerThread.RunWithThrowingContext(WaitForThirdCheck);

    [Fact]
    public void Exclusive_task_waits_for_a_condition() => CallerThread.RunAsExclusiveTask(WaitForThirdCheck);

    private static void WaitForThirdCheck()
    {
        var checks = 0;
        Signal.UntilAsync(() => ++checks == 3).InTime().GetAwaiter().GetResult();
        Assert.Equal(3, checks);
    }
}
