using System;
using System.Globalization;
using System.Runtime.CompilerServices;
using System.Security.Cryptography;
using System.Text;

namespace Reloaded.Messaging.Hosting.RabbitMQ;

/// <summary>The names of exchanges and queues. All names begin with the scope, except those of exclusive queues.</summary>
/// <remarks>AMQP allows 255 bytes for a name or a routing key. The parts are limited so that each complete name fits.</remarks>
internal sealed class TopologyNames
{
    public const int MaxScope = 32;
    public const int MaxName = 64;
    public const int MaxTopic = 120;

    /// <summary>The type property of a batch. Its body is a sequence of frames.</summary>
    public const string Batch = "batch";

    /// <summary>The header of a message that is sent again.</summary>
    public const string RepeatedHeader = "x-repeated";

    private readonly string _scope;
    private int _queues;

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

    /// <summary>The queue of one group for one topic, for either kind of delivery.</summary>
    public string QueueOf(string group, string topic, DeliveryKind kind) =>
        $"{_scope}.{(kind == DeliveryKind.AtLeastOnce ? "kept" : "group")}.{group}.{topic}";

    /// <summary>The exclusive queue of this host. The name is new each time, because the broker may not have detected yet that the previous connection is lost.</summary>
    public string OwnQueue(string purpose) => string.Create(CultureInfo.InvariantCulture, $"{HostId}.{++_queues}.{purpose}");

    public string AnsweringQueueOf(string name) => $"{_scope}.answers.{name}";

    /// <summary>The queue for messages that a group could not handle.</summary>
    public string DeadQueueOf(string group, string topic) => $"{_scope}.dead.{group}.{topic}";

    /// <summary>Returns whether AMQP accepts the text as a routing key. The name of a remote sender may contain invalid UTF-8, and becomes longer when it is decoded.</summary>
    public static bool IsKey(string value) => value.Length > 0 && Encoding.UTF8.GetByteCount(value) <= byte.MaxValue;

    /// <summary>Checks a name that is part of another name. With a dot in it, two queues could have the same name.</summary>
    public static string CheckedPart(string value, int most, [CallerMemberName] string what = "") =>
        Checked(value, most, what).Contains('.', StringComparison.Ordinal)
            ? throw new ArgumentException($"The name '{value}' contains a dot, which separates the parts of a queue's name. Choose a name without a dot.", what)
            : value;

    /// <summary>Returns the name if it is not too long; otherwise, throws.</summary>
    public static string Checked(string value, int most, [CallerMemberName] string what = "")
    {
        ArgumentException.ThrowIfNullOrWhiteSpace(value, what);
        var size = Encoding.UTF8.GetByteCount(value);
        return size <= most
            ? value
            : throw new ArgumentException($"The name '{value}' is {size} bytes in UTF-8; such a name may have at most {most}, because AMQP allows 255 bytes for all parts together. Choose a shorter name.", what);
    }
}
