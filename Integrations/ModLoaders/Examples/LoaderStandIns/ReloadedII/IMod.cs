using Reloaded.Mod.Interfaces.Internal;

namespace Reloaded.Mod.Interfaces;

/// <summary>A mod.</summary>
public interface IMod : IModV1, IModV2;
