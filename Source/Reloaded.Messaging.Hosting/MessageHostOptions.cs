using System.Diagnostics.CodeAnalysis;
using System.Runtime.CompilerServices;
using System.Text;

namespace Reloaded.Messaging.Hosting;

/// <summary>The options of a host. Immutable; <c>options with { … }</c> creates a changed copy.</summary>
public sealed record MessageHostOptions
{
    /// <summary>The limits of the host.</summary>
    public HostLimits Limits { get; init; } = HostLimits.Default;

    /// <summary>The limits of the size of a message (default: 1 MiB, and 1 MiB after decompression).</summary>
    public MessageLimits MessageLimits { get; init; } = MessageLimits.Default;

    /// <summary>The token that both sides must know; empty for no token (default: empty). The token is never sent: each side proves that it knows the token. The value is copied.</summary>
    /// <remarks>
    /// Use at least 16 random bytes, not a password, unless only this user can access the endpoint: in-process, a Unix socket, a named pipe, or by process id.
    /// The client proves the token first. A program that listens at the server's port can test guesses against this proof, and so finds a short or guessable token.
    /// </remarks>
    public ReadOnlyMemory<byte> Token { get; init => field = value.ToArray(); }

    /// <summary>The name by which clients of this user find the server by its process id, at any endpoint; <see langword="null"/> for no name (default: <see langword="null"/>).</summary>
    /// <remarks>Without a <see cref="Token"/>, the server creates a random token. Only clients that find the server by its name learn this token.</remarks>
    public string? PublishedName { get; init; }

    /// <summary>The options for reconnecting a client automatically; <see langword="null"/> to not reconnect (default: <see langword="null"/>).</summary>
    public ReconnectOptions? Reconnect { get; init; }

    /// <summary>The encryption of all data, including the handshake; <see langword="null"/> for no encryption (default: <see langword="null"/>). Both sides need the same value.</summary>
    public ProtectionOptions? Protection { get; init; }

    /// <summary>The time to wait for the reply to a request, if the call has no timeout (more than zero; default: 5 s).</summary>
    public TimeSpan RequestTimeout { get; init => field = Guard.Positive(value); } = TimeSpan.FromSeconds(5);

    /// <summary>The maximum time without a byte from a peer, after which it is disconnected (more than zero; default: 15 s). Pings are sent about every 2 s, or five times within a shorter time.</summary>
    public TimeSpan KeepAliveTimeout { get; init => field = Guard.Positive(value); } = TimeSpan.FromSeconds(15);

    /// <summary>The time between two pings of a peer. A ping is sent up to a quarter of the interval later, but not more than 0.5 s, and up to half of the interval earlier, together with the reply to a ping of the peer. It follows <see cref="KeepAliveTimeout"/>: the loss of one ping must not end a connection.</summary>
    internal TimeSpan PingInterval { get => field > TimeSpan.Zero ? field : TimeSpan.FromTicks(Math.Clamp(KeepAliveTimeout.Ticks / 5, TimeSpan.TicksPerMillisecond, 2 * TimeSpan.TicksPerSecond)); init; }

    /// <summary>The maximum time for which a disconnect, and disposing the host, waits until queued messages are written and the remote side has read them (more than zero, at most 24 days; default: 1 s).</summary>
    /// <remarks>
    /// A remote side that has not read the messages by then may lose all that it has not read.
    /// A transport that knows which messages have arrived waits once more for up to this time. Messages that are left are lost.
    /// <see cref="HostStatistics.LostFrames"/> counts them, and <see cref="MessageHost.MessagesLost"/> reports them.
    /// </remarks>
    public TimeSpan FlushTimeout
    {
        get;
        init => field = Guard.PositiveUpTo(TimeSpan.FromDays(24), value); // the maximum delay of the timers of every runtime
    } = TimeSpan.FromSeconds(1);

    /// <summary>The maximum time for which <see cref="MessageHost.StopAsync"/> waits for running handlers and open streams (more than zero, at most 24 days; default: 5 s). Then their tokens are canceled.</summary>
    public TimeSpan StopTimeout
    {
        get;
        init => field = Guard.PositiveUpTo(TimeSpan.FromDays(24), value);
    } = TimeSpan.FromSeconds(5);

    /// <summary>The maximum time without an event or a request from a peer, after which it is disconnected (more than zero); <see langword="null"/> for no limit (default: <see langword="null"/>). Pings and replies do not count. A peer with a running handler, an unanswered request or an open stream is not idle. The disconnect may be half a second late.</summary>
    public TimeSpan? IdleTimeout { get; init => field = value is { } time ? Guard.Positive(time) : null; }

    /// <summary>The longest time without a block, after which a received file ends: a peer that offers a file and does not send it must not hold the path.</summary>
    internal TimeSpan LongestFilePause { get; init; } = TimeSpan.FromSeconds(30);

    /// <summary>The clock for rates, idle peers, bans and the time limit of credentials. Only tests set another one.</summary>
    internal TimeProvider TimeProvider { get; init; } = TimeProvider.System;

    /// <summary>Whether handlers run inside <see cref="MessageHost.Pump"/>, for example on the main thread of a game, and not on the thread pool (default: <see langword="false"/>).</summary>
    public bool IsPumped { get; init; }

    /// <summary>The maximum number of messages queued for <see cref="MessageHost.Pump"/>, across all peers. When the queue is full, the host stops reading (back-pressure). Constant: no message is lost at the limit, so it need not fit the program.</summary>
    /// <remarks>One peer may use eight ninths of the capacity. A peer without a queued message can always add one message, so the maximum may be exceeded by one message for each peer.</remarks>
    internal int PumpCapacity { get; init; } = 8192;

    /// <summary>The maximum number of bytes of the messages queued for <see cref="MessageHost.Pump"/>, across all peers. Constant, for the same reason; a 32-bit process has room for it.</summary>
    /// <remarks>A peer without a queued message can add one message until twice as many bytes are queued. While the queued bytes do not exceed the maximum, a message of any size is accepted. Messages of disconnected peers count until they are handled.</remarks>
    internal int PumpBytes { get; init; } = 64 << 20;

    /// <summary>Whether to accept a peer whose contracts differ (default: <see langword="false"/>). <see cref="MessageHost.ContractMismatched"/> reports the difference in both cases.</summary>
    public bool AcceptsOtherContracts { get; init; }

    /// <summary>Whether the code after <c>await RequestAsync(…)</c> may run on the thread that received the reply, and not on the thread pool (default: <see langword="false"/>).</summary>
    /// <remarks>
    /// This saves a hop through the thread pool for each reply, which is most of the time of a request over shared memory. Until that code awaits something or
    /// returns, the host reads nothing from this peer. Code that blocks there until another reply of the same peer arrives waits until the timeout of that
    /// request. Code with a synchronization context continues in that context.
    /// </remarks>
    public bool AllowSynchronousContinuations { get; init; }

    /// <summary>Whether the trace context of spans (<c>traceparent</c> and <c>tracestate</c>) is carried to and from peers whose host also has this option (default: <see langword="false"/>).</summary>
    /// <remarks>
    /// While a listener of <see cref="MessagingTracing.SourceName"/> samples a span, each request and event is preceded by a message of 40 to 560 bytes, which counts
    /// as a message towards the limits of the peer. Over a transport that may reorder messages, such as UDP, only requests have a context.
    /// The option has no effect in the netstandard2.1 build.
    /// </remarks>
    public bool CarriesTraceContext { get; init; }

    /// <summary>Creates the settings that a transport receives from its host.</summary>
    internal TransportContext MakeTransportContext() => new()
    {
        Token = Token,
        Protection = Protection,
        PublishedName = PublishedName,
        HandshakeTimeout = Limits.HandshakeTimeout,
        FlushTimeout = FlushTimeout,
        MaxFrameSize = Math.Max(MessageLimits.MaxMessageSize, HostLimits.MaxControlSize),
        MaxConnections = Limits.MaxPeers,
        MaxUnauthenticated = Limits.MaxUnauthenticated,
        MaxUnauthenticatedPerAddress = Limits.MaxUnauthenticatedPerAddress,
        Lockout = new AddressLockout(TimeProvider, Limits.MaxFailedProofs),
    };

    /// <summary>Returns whether the options are the same object. Callbacks and tokens have no values that could be compared.</summary>
    /// <param name="other">Other options.</param>
    public bool Equals(MessageHostOptions? other) => ReferenceEquals(this, other);

    /// <inheritdoc/>
    public override int GetHashCode() => RuntimeHelpers.GetHashCode(this);

    /// <summary>The text of options has no values.</summary>
    [SuppressMessage("Performance", "CA1822", Justification = "The compiler asks for an instance method.")]
    private bool PrintMembers(StringBuilder builder) => false;
}
