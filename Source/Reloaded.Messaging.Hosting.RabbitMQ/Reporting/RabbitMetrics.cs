using System.Collections.Generic;
using System.Diagnostics.Metrics;
using System.Threading;

namespace Reloaded.Messaging.Hosting.RabbitMQ;

/// <summary>The instruments of all hosts of the process, in the meter of the library (<see cref="MessagingMetrics.MeterName"/>). A collection reads them, so no code of a listener runs while a message is handled.</summary>
internal static class RabbitMetrics
{
    private const string Unit = "{message}";

    private static readonly Counters<RabbitCounter> s_counts = new();
    private static readonly Counters<SendStatus> s_unsent = new();
    private static int s_isPublished;

    /// <summary>The counters that have an instrument.</summary>
    private static readonly (RabbitCounter Counter, string Name, string Description)[] s_counters =
    [
        (RabbitCounter.Confirmed, "confirmed", "At-least-once messages that the broker confirmed."),
        (RabbitCounter.Repeated, "repeated", "Messages that were delivered or published again, and passed to a handler."),
        (RabbitCounter.Missed, "missed", "At-most-once messages that did not arrive, by their numbers."),
        (RabbitCounter.Retried, "retried", "Messages that were returned to the broker because their handler threw."),
        (RabbitCounter.DeadLettered, "dead_lettered", "Messages that were sent to the dead letters."),
    ];

    /// <summary>Publishes the instruments once. It calls listeners of the program: call it under no lock, and in no type initializer.</summary>
    public static void Publish()
    {
        if (Volatile.Read(ref s_isPublished) != 0 || Interlocked.Exchange(ref s_isPublished, 1) != 0)
            return;
        var meter = new Meter(MessagingMetrics.MeterName);
        LoadContextHook.OnUnloading(meter.Dispose);
        foreach (var (counter, name, description) in s_counters)
            meter.CreateObservableCounter(FullName(name), () => s_counts[counter], Unit, description);
        meter.CreateObservableCounter(FullName("unsent"), CollectUnsent, Unit, "Messages that were not accepted, by the tag status. Full is back-pressure.");
    }

    public static void CountUnsent(SendStatus status) => s_unsent.Add(status);

    public static void Count(RabbitCounter counter, long count) => s_counts.Add(counter, count);

    private static List<Measurement<long>> CollectUnsent()
    {
        var measurements = new List<Measurement<long>>();
        foreach (var status in Counters<SendStatus>.All)
        {
            if (s_unsent[status] is > 0 and var count)
                measurements.Add(new Measurement<long>(count, new KeyValuePair<string, object?>("status", status.ToString())));
        }

        return measurements;
    }

    private static string FullName(string name) => "reloaded.messaging.rabbitmq." + name;
}
