using System;
using System.Collections.Generic;
using System.Diagnostics.Metrics;
using System.Threading;

namespace Reloaded.Messaging.Hosting.RabbitMQ;

/// <summary>The instruments of all hosts of the process, in the meter of the library (<see cref="MessagingMetrics.MeterName"/>). A collection reads them, so no code of a listener runs while a message is handled.</summary>
internal static class RabbitMetrics
{
    private const string Unit = "{message}";

    private static readonly Meter s_meter = new(MessagingMetrics.MeterName);

    private static readonly long[] s_counts = new long[Enum.GetValues<RabbitCounter>().Length];
    private static readonly long[] s_unsent = new long[Enum.GetValues<SendStatus>().Length];
    private static long s_confirmed;

    static RabbitMetrics()
    {
        s_meter.CreateObservableCounter(FullName("confirmed"), static () => Volatile.Read(ref s_confirmed), Unit, "At-least-once messages that the broker confirmed.");
        s_meter.CreateObservableCounter(FullName("unsent"), CollectUnsent, Unit, "Messages that were not accepted, by the tag status. Full is back-pressure.");
        Add(RabbitCounter.Repeated, "repeated", "Messages that were delivered or published again, and passed to a handler.");
        Add(RabbitCounter.Missed, "missed", "At-most-once messages that did not arrive, by their numbers.");
        Add(RabbitCounter.Retried, "retried", "Messages that were returned to the broker because their handler threw.");
        Add(RabbitCounter.DeadLettered, "dead_lettered", "Messages that were sent to the dead letters.");
        LoadContextHook.OnUnloading(s_meter.Dispose);
    }

    public static void CountConfirmed(long count) => Interlocked.Add(ref s_confirmed, count);

    public static void CountUnsent(SendStatus status) => Interlocked.Increment(ref s_unsent[(int)status]);

    public static void Count(RabbitCounter counter, long count) => Interlocked.Add(ref s_counts[(int)counter], count);

    private static void Add(RabbitCounter counter, string name, string description) =>
        s_meter.CreateObservableCounter(FullName(name), () => Volatile.Read(ref s_counts[(int)counter]), Unit, description);

    private static List<Measurement<long>> CollectUnsent()
    {
        var measurements = new List<Measurement<long>>();
        foreach (var status in Enum.GetValues<SendStatus>())
        {
            if (Volatile.Read(ref s_unsent[(int)status]) is > 0 and var count)
                measurements.Add(new Measurement<long>(count, new KeyValuePair<string, object?>("status", status.ToString())));
        }

        return measurements;
    }

    private static string FullName(string name) => "reloaded.messaging.rabbitmq." + name;
}
