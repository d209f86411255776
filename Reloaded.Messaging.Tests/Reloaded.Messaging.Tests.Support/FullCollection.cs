namespace Reloaded.Messaging.Tests.Support;

/// <summary>A full collection of the test's own, and all that it finalizes: the pool trims itself in a finalizer.</summary>
public static class FullCollection
{
    public static void Run()
    {
        GC.WaitForPendingFinalizers(); // a trim that is still under way for an earlier one would not start again for this one
        GC.Collect();
        GC.WaitForPendingFinalizers();
    }
}
