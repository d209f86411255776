using System;
using System.ComponentModel;
using Reloaded.Messaging.Wire;

namespace Reloaded.Messaging.Hosting;

/// <summary>A request that waits for its reply in a <see cref="RequestTable"/>. The code that takes the request out of the table ends it, once. For authors of hosts.</summary>
[EditorBrowsable(EditorBrowsableState.Advanced)]
public abstract class PendingRequest
{
    private protected PendingRequest()
    {
    }

    /// <summary>The correlation id.</summary>
    public uint Id { get; internal set; }

    /// <summary>The time at which the request times out, in <c>Environment.TickCount64</c>.</summary>
    internal long Deadline { get; set; }

    /// <summary>The time from the start of the request to <see cref="Deadline"/>.</summary>
    internal TimeSpan Timeout { get; set; }

    /// <summary>The next request of a <see cref="RequestChain"/>, which alone uses the property.</summary>
    internal PendingRequest? Next { get; set; }

    /// <summary>Ends the request with a received reply or fault. The request's continuation runs on this thread only if the table allows synchronous continuations.</summary>
    /// <param name="header">The header of the reply or fault.</param>
    /// <param name="payload">The payload. It is not used after the call.</param>
    public abstract void End(in MessageHeader header, ReadOnlySpan<byte> payload);

    /// <summary>Ends the request without a reply. The request's continuation does not run on this thread.</summary>
    /// <param name="status">The status of the request.</param>
    /// <param name="reason">The text of the exception; <see langword="null"/> for the default text of the status.</param>
    public abstract void End(RequestStatus status, string? reason = null);

    /// <summary>Stores the result of a received reply or fault. <see cref="Complete"/> ends the request.</summary>
    /// <param name="header">The header of the reply or fault.</param>
    /// <param name="payload">The payload. It is not used after the call.</param>
    internal abstract void SetReply(in MessageHeader header, ReadOnlySpan<byte> payload);

    /// <summary>Completes the task with the stored result. Continuations run in this call.</summary>
    internal abstract void Complete();
}
