using System;
using System.Collections.Generic;
using System.Text;
using RabbitMQ.Client;

namespace Reloaded.Messaging.Hosting.RabbitMQ;

/// <summary>The newest record of the broker about a dead letter.</summary>
/// <param name="Reason">The reason; empty if there is no record.</param>
/// <param name="Count">The number of times that this happened, including the times before the dead letter was moved back.</param>
/// <param name="Time">The time, in seconds.</param>
/// <param name="Queue">The queue that contained the message; empty if there is no record.</param>
internal readonly record struct DeathRecord(string Reason, long Count, DateTimeOffset? Time, string Queue)
{
    /// <summary>Reads the newest record of a header. The broker puts it first.</summary>
    /// <param name="properties">The properties of the dead letter. Another program may have written them.</param>
    public static DeathRecord Read(IReadOnlyBasicProperties properties)
    {
        if (properties.Headers is not { } headers
            || !headers.TryGetValue(DeadLetters.DeathsHeader, out var value)
            || value is not IList<object?> { Count: > 0 } records
            || records[0] is not IDictionary<string, object?> newest)
        {
            return new DeathRecord("", 0, null, "");
        }

        return new DeathRecord(
            TextOf(newest, "reason"),
            (newest.TryGetValue("count", out var count) && count is long times and >= 0 ? times : 0) + RetryHeaders.DeathsOf(headers),
            newest.TryGetValue("time", out var time) && time is AmqpTimestamp { UnixTime: >= 0 and <= 253402300799 } seconds ? DateTimeOffset.FromUnixTimeSeconds(seconds.UnixTime) : null,
            TextOf(newest, "queue"));
    }

    private static string TextOf(IDictionary<string, object?> record, string field) =>
        record.TryGetValue(field, out var value) && value is byte[] text ? Encoding.UTF8.GetString(text) : "";
}
