namespace Reloaded.Messaging;

/// <summary>How a dispatcher treats what it gets.</summary>
public sealed class DispatcherOptions
{
    /// <summary>What to refuse; <see cref="MessageLimits.Default"/> by default.</summary>
    public MessageLimits Limits { get; init; } = MessageLimits.Default;

    /// <summary>
    /// Counts the calls that are running in each handler, so that <see cref="HandlerRegistration.DisposeAsync"/> can wait for them:
    /// needed to unload the handler's assembly safely. By default false, since two atomic operations and a finally make a dispatch of 2.5 ns
    /// one of 19 (<c>dispatch.tracked.ns</c>).
    /// </summary>
    public bool TrackRunningHandlers { get; init; }
}
