using System.IO;
using System.Linq;
using System.Reflection;
using Xunit;

namespace Reloaded.Messaging.Tests.Support;

/// <summary>Runs a scenario whose callbacks call <see cref="HeldLocks.Check"/>, with an instrumented library.</summary>
public static class LockScenario
{
    /// <summary>Runs a scenario, and fails with the stack of each callback that ran under a lock of the library, and with each order of locks that docs/internals/locking.md does not list.</summary>
    /// <param name="scenario">A static method. It waits for its callbacks by <see cref="HeldLocks.UntilCalledAsync"/>.</param>
    public static Task CheckAsync(Func<Task> scenario) => CheckAsync(scenario.Method);

    /// <inheritdoc cref="CheckAsync(Func{Task})"/>
    /// <param name="scenario">A static method.</param>
    /// <param name="argument">The argument, of a type of the framework.</param>
    public static Task CheckAsync<T>(Func<T, Task> scenario, T argument) => CheckAsync(scenario.Method, argument!);

    /// <summary>Runs a scenario in the assembly that uses the instrumented library, without the synchronization context of the test.</summary>
    public static async Task<string[]> RunAsync(string type, string scenario, object[] arguments)
    {
        var method = typeof(LockScenario).Assembly.GetType(type)!.GetMethod(scenario, BindingFlags.Static | BindingFlags.NonPublic)!;
        await Task.Run(() => (Task)method.Invoke(null, arguments)!);
        return [.. HeldLocks.CalledUnderLock.Values, .. FindUndocumented(HeldLocks.Orders)];
    }

    private static async Task CheckAsync(MethodInfo scenario, params object[] arguments)
    {
        var run = typeof(LockScenario).GetMethod(nameof(RunAsync))!;
        var found = await InstrumentedLibrary.RunAsync<string[]>(run, scenario.DeclaringType!.FullName!, scenario.Name, arguments).WaitAsync(2 * Deadline.Length);
        if (found.Length > 0)
            Assert.Fail(string.Join(Environment.NewLine, found));
    }

    /// <summary>Returns the pairs of locks that docs/internals/locking.md does not allow: each row has the lock, and the locks that may be taken while it is held.</summary>
    private static IEnumerable<string> FindUndocumented(IEnumerable<(string Held, string Taken)> orders)
    {
        var rows = File.ReadLines(Path.Combine(AppContext.BaseDirectory, "Pages", "locking.md")).Where(static line => line.StartsWith("| `", StringComparison.Ordinal)).Select(static line => line.Split('|')).ToList();
        return orders
            .Where(order => !rows.Exists(row => row[1].Contains($"`{order.Held}`", StringComparison.Ordinal) && row[3].Contains($"`{order.Taken}`", StringComparison.Ordinal)))
            .Select(static order => $"docs/internals/locking.md does not say that {order.Taken} may be taken while {order.Held} is held.");
    }

    /// <summary>Checks the continuation of a task that runs on the thread that completes the task, if the task allows it.</summary>
    public static async Task ContinueAsync(string callback, Task task)
    {
        await task.ContinueWith(_ => HeldLocks.Check(callback), CancellationToken.None, TaskContinuationOptions.ExecuteSynchronously, TaskScheduler.Default);
        await task;
    }

    /// <summary>Awaits a task in a synchronization context of the program, and checks the call of the context.</summary>
    public static Task AwaitInContextAsync(string callback, Func<Task> begin)
    {
        var before = SynchronizationContext.Current;
        SynchronizationContext.SetSynchronizationContext(new CheckingContext(callback));
        try
        {
            return AwaitAsync();
        }
        finally
        {
            SynchronizationContext.SetSynchronizationContext(before);
        }

        async Task AwaitAsync() => await begin();
    }

    private sealed class CheckingContext(string callback) : SynchronizationContext
    {
        public override void Post(SendOrPostCallback d, object? state)
        {
            HeldLocks.Check(callback);
            base.Post(d, state);
        }
    }
}
