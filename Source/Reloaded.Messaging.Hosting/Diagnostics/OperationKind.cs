namespace Reloaded.Messaging.Hosting;

/// <summary>An operation that is measured and traced.</summary>
internal enum OperationKind
{
    /// <summary>Sends a request and waits for its reply.</summary>
    Request,

    /// <summary>Handles a request.</summary>
    Reply,

    /// <summary>Sends an event.</summary>
    Send,

    /// <summary>Handles an event.</summary>
    Process,
}
