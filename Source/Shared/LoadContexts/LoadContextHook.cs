using System.Runtime.Loader;

namespace Reloaded.Messaging;

/// <summary>The load context of this copy of the library, since a mod may bring its own copy.</summary>
internal static class LoadContextHook
{
    /// <summary>Calls <paramref name="stop"/> before the context is unloaded, if it can be unloaded.</summary>
    /// <remarks>Objects that the runtime keeps alive for the library have to be released there: the trimmer, which resurrects itself, and the meter.</remarks>
    public static void OnUnloading(Action stop)
    {
        if (AssemblyLoadContext.GetLoadContext(typeof(LoadContextHook).Assembly) is { IsCollectible: true } context)
            context.Unloading += _ => stop();
    }
}
