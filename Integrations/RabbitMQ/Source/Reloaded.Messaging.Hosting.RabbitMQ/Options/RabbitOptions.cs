using System;
using System.Collections.Generic;
using System.Runtime.CompilerServices;
using RabbitMQ.Client;

namespace Reloaded.Messaging.Hosting.RabbitMQ;

/// <summary>The options of a host over RabbitMQ. Immutable. Address, credentials and TLS are settings of the client library.</summary>
public sealed record RabbitOptions
{
    private static readonly FullMode[] s_fullModes = [FullMode.DropOldest, FullMode.Wait];
    private static readonly TimeSpan s_longest = TimeSpan.FromHours(1);

    /// <summary>The limits. The host uses the bytes that wait to be published (for each kind of event, and for requests and replies) and the number of unanswered requests.</summary>
    public HostLimits Limits { get; init; } = HostLimits.Default;

    /// <summary>The limits of the size of a message (default: 1 MiB, and 1 MiB after decompression).</summary>
    public MessageLimits MessageLimits { get; init; } = MessageLimits.Default;

    /// <summary>The display name of the host (1–64 bytes of UTF-8). Its <see cref="RabbitHost.Id"/> begins with this name.</summary>
    public string Name { get; init => field = AmqpName.Checked(value, AmqpName.MaxName); } = "host";

    /// <summary>
    /// The first part of the names of all exchanges and of all shared queues (1–32 bytes of UTF-8 without a dot; default: "reloaded"). Hosts of
    /// different scopes do not receive each other's messages. The names of exclusive queues begin with <see cref="Name"/>. Patterns for permissions
    /// and policies must match the scope and the name.
    /// </summary>
    public string Scope { get; init => field = AmqpName.CheckedPart(value, AmqpName.MaxScope); } = "reloaded";

    /// <summary>
    /// Whether the host declares the durable exchanges, and the queues of at-least-once groups (default: <c>true</c>). If <c>false</c>, they must exist:
    /// another host, whose user has the right, declares them by <see cref="RabbitHost.DeclareGroupAsync"/>. Temporary exchanges and queues, and the queues of
    /// scheduled messages, are declared in any case.
    /// </summary>
    public bool DeclaresTopology { get; init; } = true;

    /// <summary>The time that a request waits for its reply, unless the call specifies a time (more than zero; default: 5 s).</summary>
    public TimeSpan RequestTimeout { get; init => field = Guard.Positive(value); } = TimeSpan.FromSeconds(5);

    /// <summary>
    /// The time that a message may wait for further messages to the same topic, with which it is sent as one batch (0–1 s; default: 0, no batches).
    /// The order is kept. The broker counts and redelivers whole batches. Requests and replies do not wait.
    /// </summary>
    public TimeSpan BatchDelay
    {
        get;
        init => field = Guard.Between(TimeSpan.Zero, TimeSpan.FromSeconds(1), value);
    }

    /// <summary>
    /// The nodes of a cluster (default: none, which uses the endpoint of the factory). Each attempt to connect tries all of them in random order. Host
    /// names, ports and TLS are taken from here; the virtual host and the credentials from the factory. The list is copied.
    /// </summary>
    /// <exception cref="ArgumentException">Thrown when an element is <c>null</c>.</exception>
    public IReadOnlyList<AmqpTcpEndpoint> Endpoints { get; init => field = CopyOf(value); } = [];

    /// <summary>
    /// The number of nodes that store an at-least-once queue and its dead letters when they are declared (1–99; default: <c>null</c>, the default of
    /// the broker). A queue accepts and delivers messages while more than half of these nodes run. Declared queues keep their number.
    /// </summary>
    public int? QueueReplicas
    {
        get;
        init => field = value is { } replicas ? Guard.Between(1, 99, replicas) : null;
    }

    /// <summary>
    /// The time after which an unconfirmed at-least-once message, for which no other topic waits, changes the state of the host to <see cref="LinkState.Blocked"/>.
    /// A queue of which most nodes are down confirms nothing. Constant: no message is lost at the limit, so it need not fit the program.
    /// </summary>
    internal TimeSpan ConfirmTimeout { get; init; } = TimeSpan.FromSeconds(10);

    /// <summary>The time limit for connecting to one endpoint, and for preparing the connection. Constant: the host tries again, and the longest round trips are far below it.</summary>
    internal TimeSpan ConnectTimeout { get; init; } = TimeSpan.FromSeconds(10);

    /// <summary>
    /// The time limit for an orderly end (more than zero; default: 5 s). When a subscription or the host is disposed, the received messages are
    /// handled and acknowledged within this time. The broker delivers the remaining messages again, and counts a try for each.
    /// A partition goes to another host if its running handler ends within this time.
    /// </summary>
    public TimeSpan StopTimeout { get; init => field = Guard.PositiveUpTo(s_longest, value); } = TimeSpan.FromSeconds(5);

    /// <summary>
    /// The maximum number of messages that wait in a queue (default: 100,000). A full at-most-once queue drops the oldest messages. A full
    /// at-least-once queue refuses new messages, and the publisher keeps them until there is room. Hosts that share a queue must use the same value.
    /// </summary>
    public int MaxQueueLength { get; init => field = Guard.AtLeast(1, value); } = 100_000;

    /// <summary>The default of <see cref="SubscriptionOptions.Prefetch"/>. Constant: a subscription that needs another value sets it.</summary>
    internal int Prefetch { get; init; } = 256;

    /// <summary>The default of <see cref="SubscriptionOptions.MaxTries"/>.</summary>
    internal int MaxTries { get; init; } = 5;

    /// <summary>The default of <see cref="SubscriptionOptions.RetryDelay"/>.</summary>
    internal TimeSpan RetryDelay { get; init; } = TimeSpan.FromSeconds(1);

    /// <summary>The longest delay between two tries. Constant: a longer <see cref="SubscriptionOptions.RetryDelay"/> is used for each try.</summary>
    internal TimeSpan MaxRetryDelay { get; init; } = TimeSpan.FromMinutes(1);

    /// <summary>The default of <see cref="SubscriptionOptions.HandlerTimeout"/>; <c>null</c> for the setting of the broker.</summary>
    internal TimeSpan? HandlerTimeout { get; init; }

    /// <summary>
    /// The behavior when the dead-letter queue of a group holds <see cref="MaxQueueLength"/> messages (<see cref="FullMode.DropOldest"/> or
    /// <see cref="FullMode.Wait"/>; default: <see cref="FullMode.DropOldest"/>). With <see cref="FullMode.Wait"/>, new dead letters wait in the queue of the group.
    /// When that queue is full too, publishers are refused and the group stops. Hosts that share a queue must use the same value.
    /// </summary>
    public FullMode DeadLetterFullMode { get; init => field = Guard.OneOf("a queue of dead letters", s_fullModes, value); } = FullMode.DropOldest;

    /// <summary>The largest body that the client library accepts. It is above the host's limit, so that a message slightly above the limit is counted and does not end the connection.</summary>
    internal uint MaxInboundBodySize => (2 * (uint)MessageLimits.MaxMessageSize) + (64 * 1024);

    private static AmqpTcpEndpoint[] CopyOf(IReadOnlyList<AmqpTcpEndpoint> endpoints, [CallerMemberName] string name = "")
    {
        ArgumentNullException.ThrowIfNull(endpoints, name);
        AmqpTcpEndpoint[] copy = [.. endpoints];
        return Array.IndexOf(copy, null) is >= 0 and var index
            ? throw new ArgumentException($"Element {index} of the endpoints is null. Pass only nodes of the cluster.", name)
            : copy;
    }
}
