using System;

namespace Reloaded.Mod.Interfaces.Internal;

/// <summary>A mod, first version.</summary>
public interface IModV1
{
    /// <summary>Called by the loader before it unloads the mod.</summary>
    Action? Disposing { get; }

    void Start(IModLoaderV1 loader);

    void Suspend();

    void Resume();

    void Unload();

    bool CanUnload();

    bool CanSuspend();
}
