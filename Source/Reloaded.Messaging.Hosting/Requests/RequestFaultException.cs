using System;

namespace Reloaded.Messaging.Hosting;

/// <summary>The other side answered a request with a fault: a code and a text, never a stack trace.</summary>
public sealed class RequestFaultException : Exception
{
    /// <summary>Makes one; a request handler may throw it to choose what the other side gets.</summary>
    /// <param name="code">A <see cref="FaultCode"/>, or any number from 1000 up.</param>
    /// <param name="message">For people.</param>
    public RequestFaultException(FaultCode code, string message)
        : base(message) => Code = code;

    /// <summary>Why the request was refused.</summary>
    public FaultCode Code { get; }

    /// <summary><see langword="true"/> if a peer answered a request of this process with the fault; <see langword="false"/> if this process created the exception.</summary>
    /// <remarks>A handler's own requests may fail with a remote fault. Its requester then gets <see cref="FaultCode.HandlerFailed"/>, not the remote fault's code and text.</remarks>
    public bool IsRemote { get; internal init; }
}
