namespace Reloaded.Mod.Interfaces.Internal;

/// <summary>The log of the loader, first version.</summary>
public interface ILoggerV1;
