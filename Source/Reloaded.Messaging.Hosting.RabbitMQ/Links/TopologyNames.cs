using System;
using System.Globalization;
using System.Runtime.CompilerServices;
using System.Security.Cryptography;
using System.Text;

namespace Reloaded.Messaging.Hosting.RabbitMQ;

/// <summary>What exchanges and queues are called. All begin with the scope.</summary>
/// <remarks>AMQP allows 255 bytes for a name and for a routing key; the parts are limited so that their sums stay below.</remarks>
internal sealed class TopologyNames
{
    public const int MaxScope = 32;
    public const int MaxName = 64;
    public const int MaxTopic = 120;

    /// <summary>What a batch's message carries as its type: its body is frames one after the other.</summary>
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

    /// <summary>What no other host is called.</summary>
    public string HostId { get; }

    public string AtMostOnce { get; }

    public string AtLeastOnce { get; }

    public string Requests { get; }

    public string Replies { get; }

    public string Dead { get; }

    /// <summary>The queue of one group for one topic, of either kind.</summary>
    public string QueueOf(string group, string topic, DeliveryKind kind) =>
        $"{_scope}.{(kind == DeliveryKind.AtLeastOnce ? "kept" : "group")}.{group}.{topic}";

    /// <summary>A queue of this host alone. Another name each time: the broker may not have noticed yet that the last connection is gone.</summary>
    public string OwnQueue(string purpose) => string.Create(CultureInfo.InvariantCulture, $"{HostId}.{++_queues}.{purpose}");

    public string AnsweringQueueOf(string name) => $"{_scope}.answers.{name}";

    /// <summary>Where what a group could not handle goes.</summary>
    public string DeadQueueOf(string group, string topic) => $"{_scope}.dead.{group}.{topic}";

    /// <summary>Whether AMQP takes it as a routing key: what strangers say they are called need not be UTF-8, and grows where it is read as such.</summary>
    public static bool IsKey(string value) => value.Length > 0 && Encoding.UTF8.GetByteCount(value) <= byte.MaxValue;

    /// <summary>A name in the middle of others: a dot in it would make the names of two queues one.</summary>
    public static string CheckedPart(string value, int most, [CallerMemberName] string what = "") =>
        Checked(value, most, what).Contains('.', StringComparison.Ordinal)
            ? throw new ArgumentException($"'{value}' has a dot, which separates the parts of a queue's name. Choose one without.", what)
            : value;

    /// <summary>A name that fits, or an exception that says what would.</summary>
    public static string Checked(string value, int most, [CallerMemberName] string what = "")
    {
        ArgumentException.ThrowIfNullOrWhiteSpace(value, what);
        var size = Encoding.UTF8.GetByteCount(value);
        return size <= most
            ? value
            : throw new ArgumentException($"'{value}' is {size} bytes long, and a name of this sort {most} at most: AMQP allows 255 for all of its parts. Choose a shorter one.", what);
    }
}
