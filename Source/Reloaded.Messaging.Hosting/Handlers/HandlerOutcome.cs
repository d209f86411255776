using System.ComponentModel;

namespace Reloaded.Messaging.Hosting;

/// <summary>How <see cref="HandlerInvoker"/> ended with a message. For authors of hosts.</summary>
[EditorBrowsable(EditorBrowsableState.Advanced)]
public enum HandlerOutcome
{
    /// <summary>The message was handled, or its handler runs, or the handler answered with a fault.</summary>
    Done = 0,

    /// <summary>The type has no handler.</summary>
    NoHandler,

    /// <summary>The message cannot be read.</summary>
    Malformed,

    /// <summary>The handler threw, or stopped because the host asked for it.</summary>
    Failed,

    /// <summary>More handlers of the peer run than the limit allows.</summary>
    TooManyRunning,
}
