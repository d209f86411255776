using System;
using System.Threading.Tasks;
using Reloaded.Messaging.Hosting.RabbitMQ;

namespace Reloaded.Messaging.Tests.Support;

/// <summary>Waits for what a host says, or for a counter, which has no event.</summary>
internal static class Until
{
    public static async Task TrueAsync(Func<bool> condition) => await TrueAsync(() => Task.FromResult(condition()));

    public static async Task TrueAsync(Func<Task<bool>> condition)
    {
        var end = Environment.TickCount64 + (long)Deadline.Length.TotalMilliseconds;
        while (!await condition())
        {
            if (Environment.TickCount64 > end)
                throw new TimeoutException("What was waited for did not come about.");
            await Task.Delay(5);
        }
    }

    /// <summary>The next time that a host's link is in a state.</summary>
    public static Task<string> NextAsync(this RabbitHost host, LinkState state)
    {
        var signal = new TaskCompletionSource<string>(TaskCreationOptions.RunContinuationsAsynchronously);
        host.LinkChanged += (now, reason) =>
        {
            if (now == state)
                signal.TrySetResult(reason);
        };
        return signal.Task;
    }
}
