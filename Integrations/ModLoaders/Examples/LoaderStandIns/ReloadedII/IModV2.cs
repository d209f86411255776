namespace Reloaded.Mod.Interfaces.Internal;

/// <summary>A mod, second version.</summary>
public interface IModV2 : IModV1
{
    /// <summary>The entry point of the mod.</summary>
    void StartEx(IModLoaderV1 loader, IModConfigV1 config) => Start(loader);
}
