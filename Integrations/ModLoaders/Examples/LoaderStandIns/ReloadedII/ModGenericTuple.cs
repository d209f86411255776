namespace Reloaded.Mod.Interfaces.Internal;

/// <summary>A mod, and something that belongs to it.</summary>
public class ModGenericTuple<T>(IModV1 mod, T generic)
{
    public IModV1 Mod { get; set; } = mod;

    public T Generic { get; set; } = generic;
}
