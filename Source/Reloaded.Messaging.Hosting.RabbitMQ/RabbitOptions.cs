using System;

namespace Reloaded.Messaging.Hosting.RabbitMQ;

/// <summary>How a host over RabbitMQ behaves. Immutable. Where the broker is, and credentials and TLS, are the client library's own settings.</summary>
public sealed class RabbitOptions
{
    private static readonly TimeSpan s_longest = TimeSpan.FromHours(1);

    /// <summary>What it refuses. Of these it uses the sizes of messages, the bytes that wait to be published (of each kind) and the unanswered requests.</summary>
    public HostLimits Limits { get; init; } = HostLimits.Default;

    /// <summary>What the host is called, for people: 1 to 64 bytes of UTF-8. Its <see cref="RabbitHost.Id"/> begins with it.</summary>
    public string Name { get; init => field = TopologyNames.Checked(value, TopologyNames.MaxName); } = "host";

    /// <summary>
    /// The first part of the names of all exchanges and of all shared queues: 1 to 32 bytes of UTF-8 without a dot (default: "reloaded"). Hosts of
    /// different scopes do not receive each other's messages. The names of queues of a host alone begin with <see cref="Name"/>: patterns for
    /// permissions and policies have to match both.
    /// </summary>
    public string Scope { get; init => field = TopologyNames.CheckedPart(value, TopologyNames.MaxScope); } = "reloaded";

    /// <summary>How long a request waits for its reply, if its call says nothing else; 5 s by default.</summary>
    public TimeSpan RequestTimeout { get; init; } = TimeSpan.FromSeconds(5);

    /// <summary>
    /// How long a message may wait for others to the same topic, to go out with them as one: zero, the default, for not at all, up to 1 s.
    /// Order is kept. What the broker counts and repeats then is such a batch. Requests and replies do not wait, and what was published before them goes out with them.
    /// </summary>
    public TimeSpan BatchDelay
    {
        get;
        init => field = Guard.Between(TimeSpan.Zero, TimeSpan.FromSeconds(1), value);
    }

    /// <summary>The time limit for connecting to one endpoint, and for preparing the connection (more than zero; default: 10 s). A node that accepts connections and does not answer costs this much.</summary>
    public TimeSpan ConnectTimeout { get; init => field = Guard.PositiveUpTo(s_longest, value); } = TimeSpan.FromSeconds(10);

    /// <summary>
    /// The time limit for an orderly end (more than zero; default: 5 s). When a subscription or the host is disposed, the messages that were
    /// taken are handled and acknowledged within this time. The broker hands out the rest again, and counts a try for each.
    /// </summary>
    public TimeSpan StopTimeout { get; init => field = Guard.PositiveUpTo(s_longest, value); } = TimeSpan.FromSeconds(5);

    /// <summary>The messages of a subscription that this host has taken and not handled: 1 to 65535, by default 256.</summary>
    public int Prefetch { get; init => field = Guard.Between(1, ushort.MaxValue, value); } = 256;

    /// <summary>
    /// The messages that wait in a queue, by default 100,000. Past that, the kind at most once drops the oldest, and the kind at least once
    /// takes no more: the publisher keeps them until there is room. Hosts that share a queue have to agree.
    /// </summary>
    public int MaxQueueLength { get; init => field = Guard.AtLeast(1, value); } = 100_000;

    /// <summary>
    /// The number of tries of a message of the kind at least once before it goes to the dead letters (1–1000; default: 5). A handler that throws
    /// costs a try. A consumer that dies costs a try of each message that it had taken, except the first such death of a message. A consumer
    /// that starts takes one message at a time while messages come again. Hosts that share a queue have to agree.
    /// </summary>
    public int MaxTries { get; init => field = Guard.Between(1, 1000, value); } = 5;

    /// <summary>What happens when the queue of a group's dead letters holds <see cref="MaxQueueLength"/> messages (default: the oldest are dropped). Hosts that share a queue have to agree.</summary>
    public DeadLetterOverflow DeadLetterOverflow { get; init; }

    /// <summary>The largest body that the client library accepts. Above the host's limit, so that a message slightly above the limit is counted and ends no connection.</summary>
    internal uint MaxInboundBodySize => (2 * (uint)Limits.Messages.MaxMessageSize) + (64 * 1024);
}
