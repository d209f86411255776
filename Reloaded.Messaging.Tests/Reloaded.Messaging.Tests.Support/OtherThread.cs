using System.Runtime.ExceptionServices;
using Xunit;

namespace Reloaded.Messaging.Tests.Support;

/// <summary>Runs code on a thread of its own, which has ended when the call returns.</summary>
public static class OtherThread
{
    private static readonly TimeSpan s_deadline = TimeSpan.FromSeconds(60);

    public static void Run(Action action) => Join(Start(action));

    public static (Thread Thread, Func<ExceptionDispatchInfo?> Failure) Start(Action action)
    {
        ExceptionDispatchInfo? failure = null;
        var thread = new Thread(() =>
        {
            try
            {
                action();
            }
            catch (Exception exception)
            {
                failure = ExceptionDispatchInfo.Capture(exception);
            }
        })
        {
            IsBackground = true,
        };
        thread.Start();
        return (thread, () => failure);
    }

    public static void Join((Thread Thread, Func<ExceptionDispatchInfo?> Failure) started)
    {
        Assert.True(started.Thread.Join(s_deadline), "The other thread did not end in time.");
        started.Failure()?.Throw();
    }
}
