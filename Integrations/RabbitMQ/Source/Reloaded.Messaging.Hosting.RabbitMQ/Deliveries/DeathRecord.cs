using System;
using System.Collections.Generic;
using System.Text;
using RabbitMQ.Client;

namespace Reloaded.Messaging.Hosting.RabbitMQ;

/// <summary>A record of the broker about a message that it moved, because its time in a delay queue was over or because it became a dead letter.</summary>
/// <param name="Reason">The reason.</param>
/// <param name="Count">The number of times that this happened.</param>
/// <param name="Time">The time, in seconds; <c>null</c> if the broker recorded no time.</param>
/// <param name="Queue">The queue that contained the message.</param>
/// <param name="Exchange">The exchange to which the message was published.</param>
/// <param name="Topic">The first routing key with which the message was published; <c>null</c> for an unknown key.</param>
internal readonly record struct DeathRecord(string Reason, long Count, DateTimeOffset? Time, string Queue, string Exchange, string? Topic)
{
    /// <summary>The header with the records, the newest first. Another program may have written them.</summary>
    public const string Header = "x-death";

    /// <summary>Returns the newest record of a message; <c>null</c> for a message without a record.</summary>
    public static DeathRecord? ReadNewest(IDictionary<string, object?>? headers)
    {
        foreach (var record in ReadAll(headers))
            return record;
        return null;
    }

    /// <summary>Returns the records of a message, the newest first; <c>null</c> for a record that cannot be read.</summary>
    public static IEnumerable<DeathRecord?> ReadAll(IDictionary<string, object?>? headers)
    {
        if (headers is null || !headers.TryGetValue(Header, out var value) || value is not IList<object?> records)
            yield break;
        foreach (var record in records)
            yield return record is IDictionary<string, object?> fields ? Read(fields) : null;
    }

    private static DeathRecord Read(IDictionary<string, object?> fields) => new(
        TextOf(fields, "reason"),
        fields.TryGetValue("count", out var count) && count is long times and >= 0 ? times : 0,
        fields.TryGetValue("time", out var time) && time is AmqpTimestamp { UnixTime: >= 0 and <= 253402300799 } seconds ? DateTimeOffset.FromUnixTimeSeconds(seconds.UnixTime) : null,
        TextOf(fields, "queue"),
        TextOf(fields, "exchange"),
        fields.TryGetValue("routing-keys", out var keys) && keys is IList<object?> { Count: > 0 } all && all[0] is byte[] topic ? Encoding.UTF8.GetString(topic) : null);

    private static string TextOf(IDictionary<string, object?> fields, string name) =>
        fields.TryGetValue(name, out var value) && value is byte[] text ? Encoding.UTF8.GetString(text) : "";
}
