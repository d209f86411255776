namespace Reloaded.Messaging;

/// <summary>On this target, unloadable contexts are not known: nothing is ever stopped.</summary>
internal static class LoadContextHook
{
    public static void OnUnloading(Action stop)
    {
        // Never raised.
    }
}
