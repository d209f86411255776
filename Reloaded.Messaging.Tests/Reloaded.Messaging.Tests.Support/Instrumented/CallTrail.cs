using System.Collections.Concurrent;
using System.Linq;

namespace Reloaded.Messaging.Tests.Support;

/// <summary>The source files of an instrumented library whose methods were entered, in the order of the first entry; and the methods.</summary>
public static class CallTrail
{
    private static readonly ConcurrentDictionary<string, int> s_entered = new();
    private static readonly ConcurrentQueue<string> s_calls = new();
    private static int s_count;
    private static volatile bool s_isRecording;

    /// <summary>Begins to record. The objects of the way were created and used before, so that their creation is not recorded.</summary>
    public static void Begin()
    {
        s_entered.Clear();
        s_calls.Clear();
        s_isRecording = true;
    }

    /// <summary>Ends the recording.</summary>
    /// <returns>The paths of the files, relative to the folder Source.</returns>
    public static IReadOnlyList<string> End()
    {
        s_isRecording = false;
        return [.. s_entered.ToArray().OrderBy(static entry => entry.Value).Select(static entry => entry.Key)];
    }

    /// <summary>The calls of the last recording, in order: each entry of a method, without those of Source/Shared, constructors, accessors, lambdas and continuations.</summary>
    public static IReadOnlyList<string> Calls => [.. s_calls];

    /// <summary>The files of each of many trails, in the order of the last one. The first trails do not count.</summary>
    /// <remarks>A timer, and the creation of an object that later messages use again, are on the way of some messages only.</remarks>
    /// <param name="trails">The trails, one for each message.</param>
    /// <param name="warming">The number of the first trails that do not count.</param>
    public static IReadOnlyList<string> CommonOf(IReadOnlyList<IReadOnlyList<string>> trails, int warming) =>
        [.. trails[^1].Where(file => trails.Skip(warming).All(trail => trail.Contains(file)))];

    /// <summary>Called by each method of the library. The timer of hosts is not on the way of a message.</summary>
    public static void Enter(string file, string call)
    {
        if (!s_isRecording || Thread.CurrentThread.Name == "Reloaded.Messaging timer")
            return;
        if (!s_entered.ContainsKey(file))
            s_entered.TryAdd(file, Interlocked.Increment(ref s_count));
        if (call.Length > 0 && !file.StartsWith("Shared/", StringComparison.Ordinal))
            s_calls.Enqueue(call);
    }
}
