using System;
using System.Collections.Generic;
using System.Text;
using RabbitMQ.Client;

namespace Reloaded.Messaging.Hosting.RabbitMQ;

/// <summary>The headers of a message that waits for another try. The message is published again, so the broker forgets its topic and its tries.</summary>
internal static class RetryHeaders
{
    /// <summary>The header with the topic.</summary>
    private const string Topic = "x-topic";

    /// <summary>The header with the number of tries before the delay.</summary>
    private const string Tries = "x-tries";

    /// <summary>Returns the properties of a message, with the headers for another try.</summary>
    public static BasicProperties PropertiesOf(in Delivery delivery)
    {
        var headers = new Dictionary<string, object?>();
        foreach (var (name, value) in delivery.Properties.Headers ?? new Dictionary<string, object?>())
        {
            if (!IsOfBroker(name))
                headers[name] = value;
        }

        headers[Topic] = delivery.From.Topic;
        headers[Tries] = delivery.From.Tries;
        headers[TopologyNames.RepeatedHeader] = true;
        return new BasicProperties(delivery.Properties) { Headers = headers, DeliveryMode = DeliveryModes.Persistent };
    }

    /// <summary>Returns the topic of a message that was delayed; <c>null</c> for other messages.</summary>
    public static string? TopicOf(IDictionary<string, object?> headers) =>
        headers.TryGetValue(Topic, out var value) && value is byte[] topic ? Encoding.UTF8.GetString(topic) : null;

    /// <summary>Returns the number of tries before the delay; 0 for a message that was not delayed, and for a dead letter that was moved back.</summary>
    public static int TriesOf(IDictionary<string, object?> headers) =>
        headers.TryGetValue(Tries, out var value) && value is int and > 0 and < 10_000 and var tries
        && headers.TryGetValue(DeadLetters.DeathsHeader, out var deaths) && DeadLetters.IsExpired(deaths) ? tries : 0;

    /// <summary>The records of the broker about earlier queues. With them, the broker would take the next delay for a cycle of dead letters.</summary>
    private static bool IsOfBroker(string name) =>
        name == "x-delivery-count" || name.EndsWith("-death", StringComparison.Ordinal) || name.Contains("-death-", StringComparison.Ordinal);
}
