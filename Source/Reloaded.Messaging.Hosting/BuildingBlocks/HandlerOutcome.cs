namespace Reloaded.Messaging.Hosting.BuildingBlocks;

/// <summary>The outcome of <see cref="HandlerInvoker"/> for a message. For authors of hosts.</summary>
public enum HandlerOutcome
{
    /// <summary>The message was handled, its handler still runs, or the handler replied with a fault.</summary>
    Done = 0,

    /// <summary>The type has no handler.</summary>
    NoHandler,

    /// <summary>The message cannot be read.</summary>
    Malformed,

    /// <summary>The handler threw, or stopped because the host requested it.</summary>
    Failed,

    /// <summary>The handler still runs, and the peer has as many running handlers as the limit allows. Read no further message of the peer until one of them ends.</summary>
    TooManyRunning,
}
