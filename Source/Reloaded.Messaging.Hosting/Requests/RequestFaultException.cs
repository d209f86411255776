using System;

namespace Reloaded.Messaging.Hosting;

/// <summary>Thrown when the remote side replied to a request with a fault. A fault has a code and a text, and never a stack trace.</summary>
public sealed class RequestFaultException : Exception
{
    /// <summary>Creates the exception. A request handler may throw it to choose the code and the text that the requester receives.</summary>
    /// <param name="code">A <see cref="FaultCode"/>, or any number from 1000.</param>
    /// <param name="message">The text of the fault.</param>
    public RequestFaultException(FaultCode code, string message)
        : base(message) => Code = code;

    /// <summary>The reason why the request was refused.</summary>
    public FaultCode Code { get; }

    /// <summary><see langword="true"/> if the remote side sent the fault in reply to a request of this process; <see langword="false"/> if this process created the exception.</summary>
    /// <remarks>A request that a handler sends may fail with a remote fault. The requester of that handler then receives <see cref="FaultCode.HandlerFailed"/>, not the code and text of the remote fault.</remarks>
    public bool IsRemote { get; internal init; }
}
