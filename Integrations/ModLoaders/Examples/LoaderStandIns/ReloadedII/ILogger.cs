using Reloaded.Mod.Interfaces.Internal;

namespace Reloaded.Mod.Interfaces;

/// <summary>The log of the loader.</summary>
public interface ILogger : ILoggerV1, ILoggerV2;
