using System;
using System.Collections.Generic;
using System.Text;
using RabbitMQ.Client;

namespace Reloaded.Messaging.Hosting.RabbitMQ;

/// <summary>The headers of a message that is published again: for another try after a delay, or because a dead letter was moved back. The broker then forgets its topic, its tries and its deaths.</summary>
/// <remarks>RabbitMQ 3 keeps its records about deaths in such a message, and RabbitMQ 4 does not. The library removes them, so that only its own headers count.</remarks>
internal static class RetryHeaders
{
    /// <summary>The header with the topic.</summary>
    private const string Topic = "x-topic";

    /// <summary>The header with the number of tries before the delay.</summary>
    private const string Tries = "x-tries";

    /// <summary>The header with the number of deaths before the dead letter was moved back.</summary>
    private const string Deaths = "x-deaths";

    /// <summary>Returns the properties of a message, with the headers for another try.</summary>
    public static BasicProperties PropertiesOf(in Delivery delivery)
    {
        var properties = CopyOf(delivery.Properties, delivery.From.Topic);
        properties.Headers![Tries] = delivery.From.Tries;
        return properties;
    }

    /// <summary>Returns the properties of a dead letter that is moved back. Its tries begin anew.</summary>
    /// <param name="dead">The properties of the dead letter.</param>
    /// <param name="topic">The topic of the message.</param>
    /// <param name="deaths">The number of its deaths.</param>
    public static BasicProperties PropertiesOf(IReadOnlyBasicProperties dead, string topic, long deaths)
    {
        var properties = CopyOf(dead, topic);
        properties.Headers!.Remove(Tries);
        properties.Headers[Deaths] = deaths;
        return properties;
    }

    /// <summary>Returns the number of deaths before the dead letter was moved back; 0 for a message that was never moved back.</summary>
    public static long DeathsOf(IDictionary<string, object?> headers) =>
        headers.TryGetValue(Deaths, out var value) && value is long and > 0 and < int.MaxValue and var deaths ? deaths : 0;

    /// <summary>Returns the topic of a message that was delayed; <c>null</c> for other messages.</summary>
    public static string? TopicOf(IDictionary<string, object?> headers) =>
        headers.TryGetValue(Topic, out var value) && value is byte[] topic ? Encoding.UTF8.GetString(topic) : null;

    /// <summary>Returns the number of tries before the delay; 0 for a message that was not delayed, and for a dead letter that was moved back.</summary>
    public static int TriesOf(IDictionary<string, object?> headers) =>
        headers.TryGetValue(Tries, out var value) && value is int and > 0 and < 10_000 and var tries
        && headers.TryGetValue(DeadLetters.DeathsHeader, out var deaths) && DeadLetters.IsExpired(deaths) ? tries : 0;

    private static BasicProperties CopyOf(IReadOnlyBasicProperties properties, string topic)
    {
        var headers = new Dictionary<string, object?>();
        foreach (var (name, value) in properties.Headers ?? new Dictionary<string, object?>())
        {
            if (!IsOfBroker(name))
                headers[name] = value;
        }

        headers[Topic] = topic;
        headers[TopologyNames.RepeatedHeader] = true;
        return new BasicProperties(properties) { Headers = headers, DeliveryMode = DeliveryModes.Persistent };
    }

    /// <summary>The records of the broker about earlier queues. With them, the broker would take the next delay for a cycle of dead letters.</summary>
    private static bool IsOfBroker(string name) =>
        name == "x-delivery-count" || name.EndsWith("-death", StringComparison.Ordinal) || name.Contains("-death-", StringComparison.Ordinal);
}
