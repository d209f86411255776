using System;
using System.Threading;
using System.Threading.Tasks;
using Reloaded.Messaging.Tests.Support;

namespace Reloaded.Messaging.Adapters.Tests.LiteNet;

internal static class Wait
{
    public static TaskCompletionSource<T> New<T>() => new(TaskCreationOptions.RunContinuationsAsynchronously);

    public static async Task Until(Func<bool> condition)
    {
        using var late = new CancellationTokenSource(Deadline.Length);
        while (!condition())
            await Task.Delay(5, late.Token);
    }
}
