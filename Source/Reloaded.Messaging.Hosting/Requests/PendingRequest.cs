using System;
using Reloaded.Messaging.Wire;

namespace Reloaded.Messaging.Hosting;

/// <summary>A request that waits for its reply: in the table of the peer that it was sent to. Whoever takes it out of there ends it, once.</summary>
internal abstract class PendingRequest
{
    /// <summary>Its correlation id.</summary>
    public uint Id { get; set; }

    /// <summary>When it has waited long enough, in <c>Environment.TickCount64</c>.</summary>
    public long Deadline { get; set; }

    /// <summary>Ends it with what came: a reply or a fault. Its continuation never runs on this thread.</summary>
    public abstract void End(in MessageHeader header, ReadOnlySpan<byte> payload);

    /// <summary>Ends it without a reply.</summary>
    /// <param name="status">How it ended.</param>
    /// <param name="reason">The exception's text; <see langword="null"/> for the status's own.</param>
    public abstract void End(RequestStatus status, string? reason = null);
}
