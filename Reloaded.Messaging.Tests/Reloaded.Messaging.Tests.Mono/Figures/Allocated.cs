namespace Reloaded.Messaging.Tests.Mono.Figures;

/// <summary>What a repeated step allocates, in bytes: on the calling thread, and on all threads of the process.</summary>
/// <remarks>Mono counts the bytes of the current thread exactly. It has no count for all threads, so the collections of a small nursery are counted.</remarks>
internal static class Allocated
{
    /// <summary>The size of the nursery, which the program must be started with, in bytes.</summary>
    public const int Nursery = 64 * 1024;

    /// <summary>Returns the bytes of the calling thread for each step: the least of up to three rounds.</summary>
    public static double OnThread(int steps, Action step) => Least(steps, step, GC.GetAllocatedBytesForCurrentThread);

    /// <summary>Returns the bytes of all threads for each step: the least of up to three rounds. It is exact to <see cref="Nursery"/> divided by <paramref name="steps"/>.</summary>
    public static double InProcess(int steps, Action step) => Least(steps, step, static () => (long)GC.CollectionCount(0) * Nursery);

    private static double Least(int steps, Action step, Func<long> allocated)
    {
        for (var i = 0; i < steps / 10; i++)
            step();
        var least = double.MaxValue;
        for (var round = 0; round < 3 && least > 0; round++)
        {
            var before = allocated();
            for (var i = 0; i < steps; i++)
                step();
            least = Math.Min(least, (allocated() - before) / (double)steps);
        }

        return least;
    }
}
