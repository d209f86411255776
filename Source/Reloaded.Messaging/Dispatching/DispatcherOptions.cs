namespace Reloaded.Messaging;

/// <summary>The options of a dispatcher. Immutable.</summary>
public sealed class DispatcherOptions
{
    /// <summary>The limits of messages (default: <see cref="MessageLimits.Default"/>).</summary>
    public MessageLimits Limits { get; init; } = MessageLimits.Default;

    /// <summary>
    /// Whether running calls of each handler are counted, so that <see cref="HandlerRegistration.DisposeAsync"/> can wait for them (default: <c>false</c>).
    /// Needed to unload the assembly of a handler safely. It costs two atomic operations and a <c>finally</c> block per message: compare
    /// <c>dispatch.tracked.ns</c> in docs/benchmarks.md.
    /// </summary>
    public bool TrackRunningHandlers { get; init; }
}
