using System;

namespace Reloaded.Messaging;

/// <summary>Where this target runs, contexts that can be unloaded are not known: what starts stays.</summary>
internal static class LoadContextHook
{
    public static void OnUnloading(Action stop)
    {
        // Never comes.
    }
}
