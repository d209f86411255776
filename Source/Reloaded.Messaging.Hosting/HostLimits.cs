using System.Diagnostics.CodeAnalysis;
using System.Runtime.CompilerServices;
using System.Text;

namespace Reloaded.Messaging.Hosting;

/// <summary>The limits of a host, per peer and in total. Immutable.</summary>
public sealed record HostLimits
{
    /// <summary>The maximum size of a control message, in bytes; sufficient for about a thousand contracts. Also the maximum number of bytes that a connection may send before its handshake is complete.</summary>
    internal const int MaxControlSize = 256 * 1024;

    /// <summary>The default limits.</summary>
    public static HostLimits Default { get; } = new();

    /// <summary>The maximum number of peers (1 or more; default: 1024). Up to 1024 unauthenticated connections are counted separately.</summary>
    public int MaxPeers { get; init => field = Guard.AtLeast(1, value); } = 1024;

    /// <summary>The maximum number of peers from one address of another machine (1 or more; default: 256). A further connection is refused.</summary>
    /// <remarks>
    /// An IPv6 network of 64 bits counts as one address. The limit does not apply to peers on this machine. Raise it if clients connect through a proxy or a NAT,
    /// because they share one address. An address may have a quarter of this number of unauthenticated connections, and at least 64. A fiftieth of this number of
    /// wrong tokens or secrets in a row, and at least 5, locks the address out for 30 s. A right token or secret begins the count anew, and so does a pause of 30 s.
    /// </remarks>
    public int MaxPeersPerAddress { get; init => field = Guard.AtLeast(1, value); } = 256;

    /// <summary>The maximum number of unauthenticated connections. Over UDP, connections that have not proved the secret have a separate limit of the same value. Constant: at the limit, the oldest one ends, so more of them help no client.</summary>
    internal int MaxUnauthenticated { get; init; } = 1024;

    /// <summary>The maximum number of unauthenticated connections from one address of another machine, and over UDP of each port of this machine. It follows <see cref="MaxPeersPerAddress"/>, which a program behind a proxy raises.</summary>
    internal int MaxUnauthenticatedPerAddress { get => field > 0 ? field : Math.Max(64, MaxPeersPerAddress / 4); init; }

    /// <summary>The number of wrong tokens or secrets in a row after which an address of another machine is refused for 30 s. It follows <see cref="MaxPeersPerAddress"/>, which a program behind a proxy raises: otherwise, one program with a wrong token locks out all programs behind the same address.</summary>
    internal int MaxFailedProofs { get => field > 0 ? field : Math.Max(5, MaxPeersPerAddress / 50); init; }

    /// <summary>The maximum time until a connection is authenticated (more than zero, at most 24 days; default: 5 s).</summary>
    public TimeSpan HandshakeTimeout
    {
        get;
        init => field = Guard.PositiveUpTo(TimeSpan.FromDays(24), value); // the maximum delay of the timers of every runtime
    } = TimeSpan.FromSeconds(5);

    /// <summary>The maximum number of bytes that wait to be sent to a peer (default: 4 MiB). The limit for replies is twice this value.</summary>
    public int MaxPendingBytes { get; init => field = Guard.AtLeast(1, value); } = 4 << 20;

    /// <summary>The maximum memory of the messages that wait to be sent, of all peers together, in bytes. Buffers up to 64 KiB do not count; each peer has two. Constant: peers that do not read are the only ones that reach it, and <see cref="MaxPendingBytes"/> bounds each of them.</summary>
    /// <remarks>At the limit, <c>Send</c> returns <see cref="SendStatus.Full"/> for messages that need more memory. A reply that needs more memory disconnects the peer that holds the most: <see cref="DisconnectReason.NotReading"/>.</remarks>
    internal int MaxTotalPendingBytes { get; init; } = 256 << 20;

    /// <summary>The maximum number of unanswered requests to a peer. Constant: a fixed table of few pages; a program with more in flight awaits replies.</summary>
    internal int MaxUnansweredRequests { get; init; } = 1024;

    /// <summary>The maximum number of running asynchronous handlers of a peer. Constant: the number of requests that a peer may send without an answer.</summary>
    internal int MaxRunningHandlers { get; init; } = 1024;

    /// <summary>The maximum number of streams and file transfers that a peer may have open on this host. Constant: each may hold 64 KiB, which is 4 MiB a peer.</summary>
    internal int MaxStreams { get; init; } = 64;

    /// <summary>The maximum number of unreadable messages of a peer. Constant: a few come from a program of another version, more from one that is broken.</summary>
    internal int MaxMalformedMessages { get; init; } = 16;

    /// <summary>The maximum number of messages of every kind that a peer may send per second, and at once; <see langword="null"/> for no limit (default: <see langword="null"/>).</summary>
    /// <remarks>Messages that arrive while the host handles none count together afterwards. If such pauses are longer than a second, raise the rate.</remarks>
    public int? MessagesPerSecond { get; init => field = value is { } rate ? Guard.AtLeast(1, rate) : null; }

    /// <summary>The maximum number of message bytes that a peer may send per second, and at once, so also the size of its largest message; <see langword="null"/> for no limit (default: <see langword="null"/>).</summary>
    public int? BytesPerSecond { get; init => field = value is { } rate ? Guard.AtLeast(1, rate) : null; }

    /// <summary>The burst of both rates. Constant: the rates are per second, and a second is longer than the usual pause of a server.</summary>
    internal TimeSpan Burst { get; init; } = TimeSpan.FromSeconds(1);

    /// <summary>The action for a peer that exceeds a rate.</summary>
    public OverflowAction OverflowAction { get; init; } = OverflowAction.Disconnect;

    /// <summary>Returns whether the limits are the same object. Their values are not compared.</summary>
    /// <param name="other">Other limits.</param>
    public bool Equals(HostLimits? other) => ReferenceEquals(this, other);

    /// <inheritdoc/>
    public override int GetHashCode() => RuntimeHelpers.GetHashCode(this);

    /// <summary>The text of options has no values.</summary>
    [SuppressMessage("Performance", "CA1822", Justification = "The compiler asks for an instance method.")]
    private bool PrintMembers(StringBuilder builder) => false;
}

/// <summary>The action for a peer that exceeds <see cref="HostLimits.MessagesPerSecond"/> or <see cref="HostLimits.BytesPerSecond"/>.</summary>
/// <remarks>This is not a <see cref="FullMode"/>: no queue is full, no older message could be dropped, and one of the actions concerns the peer and not the message.</remarks>
public enum OverflowAction
{
    /// <summary>The peer is disconnected.</summary>
    Disconnect,

    /// <summary>Messages over the rate are dropped and counted, whatever their kind is. The peer stays connected.</summary>
    /// <remarks>
    /// A dropped request is answered with <see cref="FaultCode.OverRate"/>. Replies to requests of this side, cancellations and closes of streams always have their effect. A peer that announces
    /// contracts over the rate is disconnected, because announcements must not be lost.
    /// </remarks>
    Drop,
}
