namespace Reloaded.Messaging.Tests.Support;

/// <summary>Measures what a thread allocates once everything is warm.</summary>
public static class Allocation
{
    /// <summary>The bytes that 1000 calls allocate: the least of five measurements, since a Gen2 collection in between empties the pool on purpose.</summary>
    /// <remarks>On a thread of its own, whose pool holds nothing that other tests left in use.</remarks>
    public static long OfThousand(Action action)
    {
        var least = long.MaxValue;
        OtherThread.Run(() => least = OfThousandHere(action));
        return least;
    }

    private static long OfThousandHere(Action action)
    {
        for (var i = 0; i < 100; i++)
            action();

        var least = long.MaxValue;
        for (var round = 0; round < 5 && least > 0; round++)
        {
            var before = GC.GetAllocatedBytesForCurrentThread();
            for (var i = 0; i < 1000; i++)
                action();
            least = Math.Min(least, GC.GetAllocatedBytesForCurrentThread() - before);
        }

        return least;
    }
}
