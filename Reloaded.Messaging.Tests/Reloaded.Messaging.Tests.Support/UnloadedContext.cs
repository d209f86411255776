using System.Reflection;
using System.Runtime.Loader;
using Xunit;

namespace Reloaded.Messaging.Tests.Support;

/// <summary>Loads a type once more into a context, and waits until a context that was unloaded is gone.</summary>
public static class UnloadedContext
{
    /// <summary>Enough for a busy machine; on another the first few attempts are.</summary>
    public const int Patience = 1000;

    /// <summary>Loads the assembly of a type into a context, where the type is another one, and returns a static method of that type.</summary>
    /// <param name="context">The context.</param>
    /// <param name="type">The type.</param>
    /// <param name="method">The name of the method.</param>
    public static TDelegate LoadAgain<TDelegate>(AssemblyLoadContext context, Type type, string method)
        where TDelegate : Delegate => Find<TDelegate>(context.LoadFromAssemblyPath(type.Assembly.Location), type, method);

    /// <summary>Returns a static method of a type in another copy of its assembly.</summary>
    /// <param name="loaded">The other copy.</param>
    /// <param name="type">The type of this copy.</param>
    /// <param name="method">The name of the method.</param>
    public static TDelegate Find<TDelegate>(Assembly loaded, Type type, string method)
        where TDelegate : Delegate
    {
        var copy = loaded.GetType(type.FullName!, throwOnError: true)!;
        Assert.NotSame(type, copy);
        return copy.GetMethod(method, BindingFlags.Public | BindingFlags.Static)!.CreateDelegate<TDelegate>();
    }

    /// <summary>Whether the garbage collector collects the context within a number of attempts.</summary>
    /// <param name="context">The context, resurrection tracked, and nothing else of it.</param>
    /// <param name="attempts">Collections, ten milliseconds apart.</param>
    /// <remarks>
    /// Each attempt is on a stack of its own. A test that follows one that awaited runs inside of that one's continuation, and above some of those
    /// stacks the runtime (10.0.12) keeps an unloaded context for ever, though no root of the process leads to it.
    /// </remarks>
    public static async Task<bool> IsCollectedAsync(WeakReference context, int attempts = Patience)
    {
        for (var i = 0; i < attempts && context.IsAlive; i++)
        {
            await Task.Delay(10);
            GC.Collect();
            GC.WaitForPendingFinalizers();
        }

        return !context.IsAlive;
    }
}
