using System;
using System.Diagnostics;
using System.Threading.Tasks;

// Members of newer frameworks that the compiled tests use.

namespace System.Runtime.CompilerServices
{
    [AttributeUsage(AttributeTargets.Method)]
    internal sealed class OverloadResolutionPriorityAttribute(int priority) : Attribute
    {
        public int Priority { get; } = priority;
    }
}

namespace Reloaded.Messaging.Tests
{
    internal static class Polyfills
    {
        extension(Environment)
        {
            public static int ProcessId => Process.GetCurrentProcess().Id;

            public static long TickCount64 => Stopwatch.GetTimestamp() / (Stopwatch.Frequency / 1000);
        }

        public static async Task WaitAsync(this Task task, TimeSpan timeout) =>
            await (await Task.WhenAny(task, Task.Delay(timeout)) == task ? task : throw new TimeoutException());

        public static async Task<T> WaitAsync<T>(this Task<T> task, TimeSpan timeout)
        {
            await WaitAsync((Task)task, timeout);
            return await task;
        }
    }
}
