using System;

namespace Reloaded.Messaging.Hosting;

/// <summary>What a host refuses, of each peer and of all together. Immutable.</summary>
public sealed class HostLimits
{
    /// <summary>The largest control message, in bytes: some thousand contracts. Also the most that a connection may send before its handshake has ended.</summary>
    internal const int MaxControlSize = 256 * 1024;

    /// <summary>The highest <see cref="MaxUnansweredRequests"/>: a table of requests has no more slots.</summary>
    internal const int MostUnansweredRequests = 1 << 12;

    /// <summary>The limits of a host that was given none.</summary>
    public static HostLimits Default { get; } = new();

    /// <summary>The maximum number of peers (1 or more; default: 1024). Connections that are not authenticated yet count in <see cref="MaxUnauthenticated"/> instead.</summary>
    public int MaxPeers { get; init => field = Guard.AtLeast(1, value); } = 1024;

    /// <summary>The maximum number of peers from one address of another machine (1 or more; default: 256). A further one is refused.</summary>
    /// <remarks>An IPv6 network of 64 bits counts as one address. The limit does not apply to peers on this machine. Raise it if clients connect through a proxy or a NAT: they have one address.</remarks>
    public int MaxPeersPerAddress { get; init => field = Guard.AtLeast(1, value); } = 256;

    /// <summary>The maximum number of connections that are not authenticated yet (1 or more; default: 1024). For a further one the oldest of them from the address that has the most is disconnected.</summary>
    /// <remarks>A connection is authenticated when its handshake is done and, with <see cref="MessageHost.OnAuthenticate"/>, its credentials were accepted. Over UDP, connections that did not prove the secret yet have a limit of this size of their own.</remarks>
    public int MaxUnauthenticated { get; init => field = Guard.AtLeast(1, value); } = 1024;

    /// <summary>The maximum number of connections from one address of another machine that are not authenticated yet (1 or more; default: 64). For a further one the oldest of them is disconnected.</summary>
    /// <remarks>An IPv6 network of 64 bits counts as one address. The limit does not apply to connections of this machine, except over UDP, where each of its ports counts as an address. Raise it if clients connect through a proxy or a NAT: they have one address.</remarks>
    public int MaxUnauthenticatedPerAddress { get; init => field = Guard.AtLeast(1, value); } = 64;

    /// <summary>How long a stranger may take to become a peer: longer than zero and up to 24 days, by default 5 s.</summary>
    public TimeSpan HandshakeTimeout
    {
        get;
        init => field = Guard.PositiveUpTo(TimeSpan.FromDays(24), value); // no longer than every runtime's timers last
    } = TimeSpan.FromSeconds(5);

    /// <summary>The bytes that may wait to be sent to a peer; 4 MiB by default. Replies may take twice as many.</summary>
    public int MaxPendingBytes { get; init => field = Guard.AtLeast(1, value); } = 4 << 20;

    /// <summary>The memory, in bytes, of what waits to be sent to all peers together (1 or more; default: 256 MiB). Buffers of up to 64 KiB do not count: each peer has two.</summary>
    /// <remarks>Past it, <c>Send</c> returns <see cref="SendStatus.Full"/> for messages that need more. A reply that needs more ends the peer that holds the most: <see cref="DisconnectReason.NotReading"/>.</remarks>
    public int MaxTotalPendingBytes { get; init => field = Guard.AtLeast(1, value); } = 256 << 20;

    /// <summary>Requests to a peer that may be unanswered: 1 to 4096, by default 1024.</summary>
    public int MaxUnansweredRequests
    {
        get;
        init => field = Guard.Between(1, MostUnansweredRequests, value);
    } = 1024;

    /// <summary>Asynchronous handlers of a peer's messages that may run at once; 1024 by default.</summary>
    public int MaxRunningHandlers { get; init => field = Guard.AtLeast(1, value); } = 1024;

    /// <summary>Messages that can't be read before the peer is disconnected; 16 by default.</summary>
    public int MaxMalformedMessages { get; init => field = Guard.AtLeast(1, value); } = 16;

    /// <summary>Messages that a peer may send a second, of every kind; null, the default, for any number.</summary>
    public int? MessagesPerSecond { get; init => field = value is { } rate ? Guard.AtLeast(1, rate) : null; }

    /// <summary>Bytes of messages that a peer may send a second; null, the default, for any number.</summary>
    public int? BytesPerSecond { get; init => field = value is { } rate ? Guard.AtLeast(1, rate) : null; }

    /// <summary>How much of both rates may come at once: what they make in so long a time; 1 s by default. Have it outlast the longest time in which the host handles nothing, and one of the largest messages fit in.</summary>
    public TimeSpan Burst { get; init => field = Guard.Positive(value); } = TimeSpan.FromSeconds(1);

    /// <summary>What becomes of a peer that sends more than that.</summary>
    public OverflowAction OverflowAction { get; init; } = OverflowAction.Disconnect;
}
