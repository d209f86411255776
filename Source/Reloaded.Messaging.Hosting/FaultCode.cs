namespace Reloaded.Messaging.Hosting;

/// <summary>The codes of the faults that the library sends. Programs define their own codes from <see cref="FirstCustom"/>.</summary>
public static class FaultCode
{
    /// <summary>The handler of the request threw an exception.</summary>
    public const int HandlerFailed = 1;

    /// <summary>No handler is registered for requests of this type.</summary>
    public const int NoHandler = 2;

    /// <summary>The request cannot be read.</summary>
    public const int InvalidRequest = 3;

    /// <summary>The reply cannot be sent, because it exceeds a limit or cannot be serialized.</summary>
    public const int ReplyFailed = 4;

    /// <summary>The requester canceled the request.</summary>
    public const int Canceled = 5;

    /// <summary>The requester has too many open streams and file transfers: 64.</summary>
    public const int TooManyStreams = 6;

    /// <summary>The remote side is stopping, and its handler was not called: see <see cref="MessageHost.StopAsync"/>. The request can be sent again, to another host or after this one has started again.</summary>
    public const int Stopping = 7;

    /// <summary>The receiver of a file has no space for it.</summary>
    public const int NoSpace = 8;

    /// <summary>The receiver of a file cannot write to the path that it chose: the name is too long, the path is a folder, or the access is denied.</summary>
    public const int InvalidPath = 9;

    /// <summary>Another process of the receiver of a file writes to the same path.</summary>
    public const int PathInUse = 10;

    /// <summary>The receiver of a file has ended the transfer, because nothing arrived for 30 s.</summary>
    public const int TransferStalled = 11;

    /// <summary>The requester exceeds a rate of the remote side, whose handler was not called: see <see cref="OverflowAction.Drop"/>. The request can be sent again later.</summary>
    public const int OverRate = 12;

    /// <summary>The lowest code that is available to programs (1000). The library uses the codes below it.</summary>
    public const int FirstCustom = 1000;
}
