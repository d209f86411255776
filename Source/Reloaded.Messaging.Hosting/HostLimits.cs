using System;

namespace Reloaded.Messaging.Hosting;

/// <summary>The limits of a host, per peer and in total. Immutable.</summary>
public sealed record HostLimits
{
    /// <summary>The maximum size of a control message, in bytes; sufficient for about a thousand contracts. Also the maximum number of bytes that a connection may send before its handshake is complete.</summary>
    internal const int MaxControlSize = 256 * 1024;

    /// <summary>The highest value of <see cref="MaxUnansweredRequests"/>, because a request table has at most this number of slots.</summary>
    internal const int MostUnansweredRequests = 1 << 12;

    /// <summary>The default limits.</summary>
    public static HostLimits Default { get; } = new();

    /// <summary>The maximum number of peers (1 or more; default: 1024). Unauthenticated connections count towards <see cref="MaxUnauthenticated"/> instead.</summary>
    public int MaxPeers { get; init => field = Guard.AtLeast(1, value); } = 1024;

    /// <summary>The maximum number of peers from one address of another machine (1 or more; default: 256). A further connection is refused.</summary>
    /// <remarks>An IPv6 network of 64 bits counts as one address. The limit does not apply to peers on this machine. Raise it if clients connect through a proxy or a NAT, because they share one address.</remarks>
    public int MaxPeersPerAddress { get; init => field = Guard.AtLeast(1, value); } = 256;

    /// <summary>The maximum number of unauthenticated connections (1 or more; default: 1024). At the limit, the oldest unauthenticated connection of the address that has the most is disconnected.</summary>
    /// <remarks>A connection is authenticated when its handshake is complete and, with <see cref="MessageHost.OnAuthenticate"/>, its credentials were accepted. Over UDP, connections that have not proved the secret have a separate limit of the same value.</remarks>
    public int MaxUnauthenticated { get; init => field = Guard.AtLeast(1, value); } = 1024;

    /// <summary>The maximum number of unauthenticated connections from one address of another machine (1 or more; default: 64). At the limit, the oldest of these connections is disconnected.</summary>
    /// <remarks>An IPv6 network of 64 bits counts as one address. The limit does not apply to connections of this machine, except over UDP, where each port of this machine counts as an address. Raise it if clients connect through a proxy or a NAT, because they share one address.</remarks>
    public int MaxUnauthenticatedPerAddress { get; init => field = Guard.AtLeast(1, value); } = 64;

    /// <summary>The number of wrong tokens or secrets in a row after which an address of another machine is refused for 30 s (1 or more; default: 5); <see cref="int.MaxValue"/> for no lock-out.</summary>
    /// <remarks>A right token or secret begins the count anew, and so does a pause of 30 s. An IPv6 network of 64 bits counts as one address. Raise it if clients connect through a proxy or a NAT: otherwise, one program with a wrong token locks out all programs behind the same address.</remarks>
    public int MaxFailedProofs { get; init => field = Guard.AtLeast(1, value); } = 5;

    /// <summary>The maximum time until a connection is authenticated (more than zero, at most 24 days; default: 5 s).</summary>
    public TimeSpan HandshakeTimeout
    {
        get;
        init => field = Guard.PositiveUpTo(TimeSpan.FromDays(24), value); // the maximum delay of the timers of every runtime
    } = TimeSpan.FromSeconds(5);

    /// <summary>The maximum number of bytes that wait to be sent to a peer (default: 4 MiB). The limit for replies is twice this value.</summary>
    public int MaxPendingBytes { get; init => field = Guard.AtLeast(1, value); } = 4 << 20;

    /// <summary>The maximum memory of the messages that wait to be sent, of all peers together, in bytes (1 or more; default: 256 MiB). Buffers up to 64 KiB do not count; each peer has two.</summary>
    /// <remarks>At the limit, <c>Send</c> returns <see cref="SendStatus.Full"/> for messages that need more memory. A reply that needs more memory disconnects the peer that holds the most: <see cref="DisconnectReason.NotReading"/>.</remarks>
    public int MaxTotalPendingBytes { get; init => field = Guard.AtLeast(1, value); } = 256 << 20;

    /// <summary>The maximum number of unanswered requests to a peer (1–4096; default: 1024).</summary>
    public int MaxUnansweredRequests
    {
        get;
        init => field = Guard.Between(1, MostUnansweredRequests, value);
    } = 1024;

    /// <summary>The maximum number of running asynchronous handlers of a peer (1 or more; default: 1024). While so many run, the host does not read from the peer. If none ends within <see cref="MessageHostOptions.KeepAliveTimeout"/>, the peer is disconnected.</summary>
    public int MaxRunningHandlers { get; init => field = Guard.AtLeast(1, value); } = 1024;

    /// <summary>The maximum number of streams and file transfers that a peer may have open on this host (1 or more; default: 64). A further one is refused with <see cref="FaultCode.TooManyStreams"/>.</summary>
    public int MaxStreams { get; init => field = Guard.AtLeast(1, value); } = 64;

    /// <summary>The maximum number of unreadable messages of a peer (default: 16). A further unreadable message disconnects the peer.</summary>
    public int MaxMalformedMessages { get; init => field = Guard.AtLeast(1, value); } = 16;

    /// <summary>The maximum number of messages of every kind that a peer may send per second; <see langword="null"/> for no limit (default: <see langword="null"/>).</summary>
    public int? MessagesPerSecond { get; init => field = value is { } rate ? Guard.AtLeast(1, rate) : null; }

    /// <summary>The maximum number of message bytes that a peer may send per second; <see langword="null"/> for no limit (default: <see langword="null"/>).</summary>
    public int? BytesPerSecond { get; init => field = value is { } rate ? Guard.AtLeast(1, rate) : null; }

    /// <summary>The burst of both rates, as a time: a peer may send at once the messages and bytes that the rates allow in this time (default: 1 s). Choose a time longer than the longest pause in which the host handles no messages. The burst must also allow the largest message.</summary>
    public TimeSpan Burst { get; init => field = Guard.Positive(value); } = TimeSpan.FromSeconds(1);

    /// <summary>The action for a peer that exceeds a rate.</summary>
    public OverflowAction OverflowAction { get; init; } = OverflowAction.Disconnect;
}

/// <summary>The action for a peer that exceeds <see cref="HostLimits.MessagesPerSecond"/> or <see cref="HostLimits.BytesPerSecond"/>.</summary>
/// <remarks>This is not a <see cref="FullMode"/>: no queue is full, no older message could be dropped, and one of the actions concerns the peer and not the message.</remarks>
public enum OverflowAction
{
    /// <summary>The peer is disconnected.</summary>
    Disconnect,

    /// <summary>Messages over the rate are dropped and counted, whatever their kind is. The peer stays connected.</summary>
    /// <remarks>
    /// A dropped request times out on the remote side. If a cancellation is dropped, the handler of its request runs to the end. Replies to requests of this side
    /// are never dropped. A peer that announces contracts over the rate is disconnected, because announcements must not be lost.
    /// </remarks>
    Drop,
}
