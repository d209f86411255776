using System;

namespace Reloaded.Mod.Interfaces.Internal;

/// <summary>The loader of mods, first version.</summary>
public interface IModLoaderV1
{
    /// <summary>Called after a mod was loaded.</summary>
    Action<IModV1, IModConfigV1>? ModLoaded { get; set; }

    /// <summary>Called before a mod is unloaded.</summary>
    Action<IModV1, IModConfigV1>? ModUnloading { get; set; }

    ModGenericTuple<IModConfigV1>[] GetActiveMods();

    ILoggerV1 GetLogger();
}
