namespace Reloaded.Messaging.Games;

/// <summary>Replaces the paths of the other targets.</summary>
public static class NetworkPathExtensions
{
    /// <summary>Throws, because this build has no paths.</summary>
    /// <param name="endpoint">An endpoint.</param>
    /// <param name="path">The path.</param>
    /// <exception cref="PlatformNotSupportedException">Always thrown.</exception>
    public static MessageEndpoint WithPath(this MessageEndpoint endpoint, NetworkPath path)
    {
        ArgumentNullException.ThrowIfNull(endpoint);
        ArgumentNullException.ThrowIfNull(path);
        throw new PlatformNotSupportedException($"{endpoint} cannot take a NetworkPath in the netstandard2.1 build of the library. Use the build for .NET 8 or later.");
    }
}
