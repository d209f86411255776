using System;
using System.Runtime.Loader;

namespace Reloaded.Messaging;

/// <summary>The context that this copy of the library was loaded into: a mod may bring one of its own.</summary>
internal static class LoadContextHook
{
    /// <summary>Calls <paramref name="stop"/> when the context is about to be unloaded, if it ever can be.</summary>
    /// <remarks>What the runtime keeps alive on the library's behalf has to be let go there: the trimmer, which revives itself, and the meter.</remarks>
    public static void OnUnloading(Action stop)
    {
        if (AssemblyLoadContext.GetLoadContext(typeof(LoadContextHook).Assembly) is { IsCollectible: true } context)
            context.Unloading += _ => stop();
    }
}
