using System.Diagnostics.Metrics;

namespace Reloaded.Messaging.Hosting.RabbitMQ;

/// <summary>The instruments of all hosts of the process, in the meter of the library (<see cref="MessagingMetrics.MeterName"/>).</summary>
internal static class RabbitMetrics
{
    private static readonly Meter s_meter = new(MessagingMetrics.MeterName);

    private static readonly Counter<long> s_confirmed = Create("confirmed", "At-least-once messages that the broker confirmed.");
    private static readonly Counter<long> s_repeated = Create("repeated", "Messages that were delivered or published again, and passed to a handler.");
    private static readonly Counter<long> s_missed = Create("missed", "At-most-once messages that did not arrive, by their numbers.");
    private static readonly Counter<long> s_retried = Create("retried", "Messages that were returned to the broker because their handler threw.");
    private static readonly Counter<long> s_deadLettered = Create("dead_lettered", "Messages that were sent to the dead letters.");

    static RabbitMetrics() => LoadContextHook.OnUnloading(s_meter.Dispose);

    public static void CountConfirmed(long count) => s_confirmed.Add(count);

    public static void Count(RabbitCounter counter, long count)
    {
        var instrument = counter switch
        {
            RabbitCounter.Repeated => s_repeated,
            RabbitCounter.Missed => s_missed,
            RabbitCounter.Retried => s_retried,
            RabbitCounter.DeadLettered => s_deadLettered,
            _ => null,
        };
        instrument?.Add(count);
    }

    private static Counter<long> Create(string name, string description) =>
        s_meter.CreateCounter<long>("reloaded.messaging.rabbitmq." + name, "{message}", description);
}
