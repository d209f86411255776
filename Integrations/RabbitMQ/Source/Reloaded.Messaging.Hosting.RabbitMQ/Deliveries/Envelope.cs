using System;
using System.Collections.Generic;
using System.Globalization;
using System.Text;
using RabbitMQ.Client;

namespace Reloaded.Messaging.Hosting.RabbitMQ;

/// <summary>Reads the origin of a message from its properties, and writes the properties of a message that is published again.</summary>
/// <remarks>
/// A message is published again for another try after a delay, or because a dead letter was moved back. The broker then forgets its topic, its tries and its
/// deaths. RabbitMQ 3 keeps its records about deaths in such a message, and RabbitMQ 4 does not. The library removes them, so that only its own headers count.
/// </remarks>
internal static class Envelope
{
    /// <summary>The header in which the broker counts how often it delivered a message before.</summary>
    private const string DeliveryCount = "x-delivery-count";

    /// <summary>The header with the topic of a message that was published again.</summary>
    private const string Topic = "x-topic";

    /// <summary>The header with the number of tries before the delay.</summary>
    private const string Tries = "x-tries";

    /// <summary>The header with the number of deaths before the dead letter was moved back.</summary>
    private const string Deaths = "x-deaths";

    /// <summary>The header of a message that was published for a later time, before its first delivery.</summary>
    private const string Scheduled = "x-scheduled";

    /// <summary>Returns the origin of a delivery. The origin of a batch is that of its first message.</summary>
    /// <param name="redelivered">Whether the broker has delivered the message before.</param>
    /// <param name="exchange">The exchange to which the message was published.</param>
    /// <param name="topic">The routing key.</param>
    /// <param name="properties">The properties.</param>
    /// <param name="events">The exchange of at-least-once topics.</param>
    public static Origin ReadOrigin(bool redelivered, string exchange, string topic, IReadOnlyBasicProperties properties, string events)
    {
        var (isRepeated, tries) = (redelivered, redelivered ? 2 : 1);
        if (properties.Headers is { Count: > 0 } headers)
        {
            isRepeated |= headers.ContainsKey(TopologyNames.RepeatedHeader);
            if (redelivered && headers.TryGetValue(DeliveryCount, out var value) && value is long count and > 0 and < int.MaxValue)
                tries = (int)count + 1;
            if (headers.ContainsKey(DeathRecord.Header) && !IsFirstDelivery(headers))
            {
                isRepeated = true; // a delayed message, or a dead letter
                tries += TriesOf(headers);
            }

            if (exchange != events)
                topic = TopicOf(headers, events) ?? topic;
        }

        var number = properties.IsTimestampPresent() && properties.Timestamp.UnixTime > 0 ? (ulong)properties.Timestamp.UnixTime : 0;
        return new Origin(properties.AppId ?? "", topic, number, isRepeated, tries) { MessageId = properties.MessageId };
    }

    /// <summary>Returns the properties of a message that is published for a later time.</summary>
    /// <param name="type">The type of the message.</param>
    /// <param name="sender">The id of the host.</param>
    /// <param name="id">The id of the message.</param>
    /// <param name="slot">The slot of the key; 0 without a key.</param>
    public static BasicProperties ForSchedule(uint type, string sender, string id, int slot)
    {
        var headers = new Dictionary<string, object?> { [Scheduled] = true };
        if (slot > 0)
            headers[PartitionSlot.Header] = PartitionSlot.NameOf(slot);
        return new BasicProperties
        {
            AppId = sender,
            ContentType = TopologyNames.ContentType,
            DeliveryMode = DeliveryModes.Persistent,
            MessageId = id,
            Type = type.ToString(CultureInfo.InvariantCulture),
            Headers = headers,
        };
    }

    /// <summary>Returns the properties of a message for another try.</summary>
    public static BasicProperties ForRetry(Delivery delivery)
    {
        var properties = CopyOf(delivery.Properties, delivery.From.Topic);
        properties.Headers![Tries] = delivery.From.Tries;
        return properties;
    }

    /// <summary>Returns the properties of a dead letter that is moved back. Its tries begin anew.</summary>
    /// <param name="dead">The properties of the dead letter.</param>
    /// <param name="topic">The topic of the message.</param>
    /// <param name="deaths">The number of its deaths.</param>
    public static BasicProperties ForReturn(IReadOnlyBasicProperties dead, string topic, long deaths)
    {
        var properties = CopyOf(dead, topic);
        properties.Headers!.Remove(Tries);
        properties.Headers[Deaths] = deaths;
        return properties;
    }

    /// <summary>Returns the number of deaths before the dead letter was moved back; 0 for a message that was never moved back.</summary>
    public static long DeathsOf(IDictionary<string, object?> headers) =>
        headers.TryGetValue(Deaths, out var value) && value is long and > 0 and < int.MaxValue and var deaths ? deaths : 0;

    /// <summary>Returns the topic of a message that did not come from the exchange of its topic; <c>null</c> if the headers do not contain it.</summary>
    private static string? TopicOf(IDictionary<string, object?> headers, string events)
    {
        if (headers.TryGetValue(Topic, out var value) && value is byte[] topic)
            return Encoding.UTF8.GetString(topic);
        foreach (var death in DeathRecord.ReadAll(headers))
        {
            if (death is { Topic: { } original } && death.Value.Exchange == events)
                return original;
        }

        return null;
    }

    /// <summary>Returns the number of tries before the delay; 0 for a message that was not delayed, and for a dead letter that was moved back.</summary>
    private static int TriesOf(IDictionary<string, object?> headers) =>
        headers.TryGetValue(Tries, out var value) && value is int and > 0 and < 10_000 and var tries && DeathRecord.ReadNewest(headers) is { Reason: "expired" } ? tries : 0;

    /// <summary>Returns whether the only record of a message is that of its schedule.</summary>
    private static bool IsFirstDelivery(IDictionary<string, object?> headers) =>
        headers.ContainsKey(Scheduled) && headers[DeathRecord.Header] is IList<object?> { Count: 1 } && DeathRecord.ReadNewest(headers) is { Reason: "expired" };

    private static BasicProperties CopyOf(IReadOnlyBasicProperties properties, string topic)
    {
        var headers = new Dictionary<string, object?>();
        foreach (var (name, value) in properties.Headers ?? new Dictionary<string, object?>())
        {
            if (name != Scheduled && !IsOfBroker(name))
                headers[name] = value;
        }

        headers[Topic] = topic;
        headers[TopologyNames.RepeatedHeader] = true;
        return new BasicProperties(properties) { Headers = headers, DeliveryMode = DeliveryModes.Persistent };
    }

    /// <summary>The records of the broker about earlier queues. With them, the broker would take the next delay for a cycle of dead letters.</summary>
    private static bool IsOfBroker(string name) =>
        name == DeliveryCount || name.EndsWith("-death", StringComparison.Ordinal) || name.Contains("-death-", StringComparison.Ordinal);
}
