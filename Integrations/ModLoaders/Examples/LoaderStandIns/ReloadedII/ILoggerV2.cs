namespace Reloaded.Mod.Interfaces.Internal;

/// <summary>The log of the loader, second version.</summary>
public interface ILoggerV2
{
    void WriteLine(string message);
}
