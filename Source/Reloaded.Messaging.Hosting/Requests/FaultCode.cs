namespace Reloaded.Messaging.Hosting;

/// <summary>Why a request was refused. Codes from 1000 up are the program's own.</summary>
public enum FaultCode
{
    /// <summary>Its handler threw.</summary>
    HandlerFailed = 1,

    /// <summary>Nobody handles requests of this type.</summary>
    NoHandler = 2,

    /// <summary>The request can't be read.</summary>
    InvalidRequest = 3,

    /// <summary>The reply can't be sent: it exceeds a limit, or can't be serialized.</summary>
    ReplyFailed = 4,

    /// <summary>The requester took it back.</summary>
    Canceled = 5,
}
