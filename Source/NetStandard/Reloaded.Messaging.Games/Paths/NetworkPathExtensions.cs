using System;

namespace Reloaded.Messaging.Games;

/// <summary>Replaces the paths of the other targets. This target has no UDP.</summary>
public static class NetworkPathExtensions
{
    /// <summary>Throws, because this build has no UDP.</summary>
    /// <param name="endpoint">An endpoint.</param>
    /// <param name="path">The path.</param>
    /// <exception cref="PlatformNotSupportedException">Always thrown.</exception>
    public static MessageEndpoint WithPath(this MessageEndpoint endpoint, NetworkPath path)
    {
        ArgumentNullException.ThrowIfNull(endpoint);
        ArgumentNullException.ThrowIfNull(path);
        throw new PlatformNotSupportedException($"{endpoint} with a NetworkPath requires UDP, which the netstandard2.1 build of the library does not have. Use the build for .NET 8 or later.");
    }
}
