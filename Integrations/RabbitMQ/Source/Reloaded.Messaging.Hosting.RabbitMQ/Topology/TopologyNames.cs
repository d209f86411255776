using System;
using System.Globalization;
using System.Security.Cryptography;
using System.Threading;

namespace Reloaded.Messaging.Hosting.RabbitMQ;

/// <summary>The names of exchanges and queues. All names begin with the scope, except those of exclusive queues.</summary>
internal sealed class TopologyNames
{
    /// <summary>The content type of every body.</summary>
    public const string ContentType = "application/x-reloaded-messaging";

    /// <summary>The type property of a batch. Its body is a sequence of frames.</summary>
    public const string Batch = "batch";

    /// <summary>The header of a message that is sent again.</summary>
    public const string RepeatedHeader = "x-repeated";

    private readonly string _scope;
    private int _queues;
    private int _tags;

    public TopologyNames(string scope, string hostName)
    {
        _scope = scope;
        HostId = $"{hostName}.{Convert.ToHexString(RandomNumberGenerator.GetBytes(8))}";
        AtMostOnce = $"{scope}.at-most-once";
        AtLeastOnce = $"{scope}.at-least-once";
        Requests = $"{scope}.requests";
        Replies = $"{scope}.replies";
        Dead = $"{scope}.dead";
    }

    /// <summary>The unique id of the host.</summary>
    public string HostId { get; }

    public string AtMostOnce { get; }

    public string AtLeastOnce { get; }

    public string Requests { get; }

    public string Replies { get; }

    public string Dead { get; }

    /// <summary>The exchange of events.</summary>
    public string ExchangeOf(DeliveryKind kind) => kind == DeliveryKind.AtLeastOnce ? AtLeastOnce : AtMostOnce;

    /// <summary>The queue of one group for one topic, for either kind of delivery.</summary>
    public string QueueOf(string group, string topic, DeliveryKind kind) =>
        $"{_scope}.{(kind == DeliveryKind.AtLeastOnce ? "kept" : "group")}.{group}.{topic}";

    /// <summary>The exclusive queue of this host. The name is new each time, because the broker may not have detected yet that the previous connection is lost.</summary>
    public string OwnQueue(string purpose) => string.Create(CultureInfo.InvariantCulture, $"{HostId}.{Interlocked.Increment(ref _queues)}.{purpose}");

    /// <summary>The tag of a consumer of this host, which management pages display.</summary>
    public string ConsumerTag(string topic) => string.Create(CultureInfo.InvariantCulture, $"{HostId}.{Interlocked.Increment(ref _tags)}.{topic}");

    public string AnsweringQueueOf(string name) => $"{_scope}.answers.{name}";

    /// <summary>The exchange that distributes the messages of a topic to the partitions of a group.</summary>
    public string PartitionExchangeOf(string group, string topic) => $"{_scope}.partitions.{group}.{topic}";

    /// <summary>The exchange for messages without a key.</summary>
    public string UnkeyedExchangeOf(string group, string topic, int partitions) => string.Create(CultureInfo.InvariantCulture, $"{_scope}.unkeyed.{group}.{partitions}.{topic}");

    /// <summary>The queue of one partition of a group.</summary>
    public string PartitionQueueOf(string group, string topic, int partition) => string.Create(CultureInfo.InvariantCulture, $"{_scope}.partition.{group}.{partition}.{topic}");

    /// <summary>The queue for consumers that show how many hosts share the partitions of a group.</summary>
    public string RosterOf(string group, string topic) => $"{_scope}.roster.{group}.{topic}";

    /// <summary>The queue for messages that wait for another try.</summary>
    public string DelayQueueOf(string group, string topic, int milliseconds) => string.Create(CultureInfo.InvariantCulture, $"{_scope}.delay.{group}.{milliseconds}.{topic}");

    /// <summary>The queue for scheduled messages of a topic.</summary>
    public string LaterQueueOf(string topic, int milliseconds) => string.Create(CultureInfo.InvariantCulture, $"{_scope}.later.{milliseconds}.{topic}");

    /// <summary>The queue for messages that a group could not handle.</summary>
    public string DeadQueueOf(string group, string topic) => $"{_scope}.dead.{group}.{topic}";
}
