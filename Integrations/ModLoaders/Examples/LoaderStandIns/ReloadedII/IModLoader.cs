using Reloaded.Mod.Interfaces.Internal;

namespace Reloaded.Mod.Interfaces;

/// <summary>The loader of mods.</summary>
public interface IModLoader : IModLoaderV1;
