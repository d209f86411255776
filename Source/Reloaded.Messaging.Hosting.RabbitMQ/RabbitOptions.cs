using System;
using System.Runtime.CompilerServices;
using Reloaded.Messaging.Hosting.RabbitMQ.Links;

namespace Reloaded.Messaging.Hosting.RabbitMQ;

/// <summary>How a host over RabbitMQ behaves. Immutable. Where the broker is, and credentials and TLS, are the client library's own settings.</summary>
public sealed class RabbitOptions
{
    /// <summary>What it refuses. Of these it uses the sizes of messages, the bytes that wait to be published (of each kind) and the unanswered requests.</summary>
    public HostLimits Limits { get; init; } = HostLimits.Default;

    /// <summary>What the host is called, for people: 1 to 64 bytes of UTF-8. Its <see cref="RabbitHost.Id"/> begins with it.</summary>
    public string Name { get; init => field = Names.Checked(value, Names.MaxName); } = "host";

    /// <summary>
    /// The first part of the names of all exchanges and of all shared queues: 1 to 32 bytes of UTF-8 without a dot (default: "reloaded"). Hosts of
    /// different scopes do not receive each other's messages. The names of queues of a host alone begin with <see cref="Name"/>: patterns for
    /// permissions and policies have to match both.
    /// </summary>
    public string Scope { get; init => field = Names.CheckedPart(value, Names.MaxScope); } = "reloaded";

    /// <summary>How long a request waits for its reply, if its call says nothing else; 5 s by default.</summary>
    public TimeSpan RequestTimeout { get; init; } = TimeSpan.FromSeconds(5);

    /// <summary>
    /// How long a message may wait for others to the same topic, to go out with them as one: zero, the default, for not at all, up to 1 s.
    /// Order is kept. What the broker counts and repeats then is such a batch. Requests and replies do not wait, and what was published before them goes out with them.
    /// </summary>
    public TimeSpan BatchDelay
    {
        get;
        init => field = value >= TimeSpan.Zero && value <= TimeSpan.FromSeconds(1)
            ? value
            : throw new ArgumentOutOfRangeException(nameof(value), value, $"{value} is out of range: {nameof(BatchDelay)} is zero to one second.");
    }

    /// <summary>The messages of a subscription that this host has taken and not handled: 1 to 65535, by default 256.</summary>
    public int Prefetch { get; init => field = Within(value, ushort.MaxValue); } = 256;

    /// <summary>
    /// The messages that wait in a queue, by default 100,000. Past that, the kind at most once drops the oldest, and the kind at least once
    /// takes no more: the publisher keeps them until there is room. Hosts that share a queue have to agree.
    /// </summary>
    public int MaxQueueLength { get; init => field = Within(value, int.MaxValue); } = 100_000;

    /// <summary>
    /// How often a message of the kind at least once is handed out before it goes to the dead letters: 1 to 1000, by default 5. A consumer that
    /// died with it counts as one that failed. Hosts that share a queue have to agree.
    /// </summary>
    public int MaxTries { get; init => field = Within(value, 1000); } = 5;

    private static int Within(int value, int most, [CallerMemberName] string name = "") =>
        value >= 1 && value <= most ? value : throw new ArgumentOutOfRangeException(name, value, $"{value} is out of range: {name} is 1 to {most}.");
}
