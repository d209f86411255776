namespace Reloaded.Messaging.Hosting;

/// <summary>The reason why a request was refused. Codes from 1000 are available to programs.</summary>
public enum FaultCode
{
    /// <summary>The handler of the request threw an exception.</summary>
    HandlerFailed = 1,

    /// <summary>No handler is registered for requests of this type.</summary>
    NoHandler = 2,

    /// <summary>The request cannot be read.</summary>
    InvalidRequest = 3,

    /// <summary>The reply cannot be sent, because it exceeds a limit or cannot be serialized.</summary>
    ReplyFailed = 4,

    /// <summary>The requester canceled the request.</summary>
    Canceled = 5,
}
