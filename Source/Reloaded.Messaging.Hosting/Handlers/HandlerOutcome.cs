using System.ComponentModel;

namespace Reloaded.Messaging.Hosting;

/// <summary>The outcome of <see cref="HandlerInvoker"/> for a message. For authors of hosts.</summary>
[EditorBrowsable(EditorBrowsableState.Advanced)]
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

    /// <summary>The peer exceeded the limit of running handlers.</summary>
    TooManyRunning,
}
