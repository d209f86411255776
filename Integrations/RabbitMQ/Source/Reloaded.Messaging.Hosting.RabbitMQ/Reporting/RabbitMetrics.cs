using System;
using System.Collections.Concurrent;
using System.Collections.Generic;
using System.Diagnostics.Metrics;
using System.Threading;

namespace Reloaded.Messaging.Hosting.RabbitMQ;

/// <summary>The counts of the hosts of the process, by the name of the host, in the meter of the library (<see cref="MessagingMetrics.MeterName"/>). A collection reads them, so no code of a listener runs while a message is handled.</summary>
internal static class RabbitMetrics
{
    /// <summary>The maximum number of names. The hosts with further names are added up.</summary>
    private const int MaxNames = 100;

    private const string Message = "{message}";

    private static readonly ConcurrentDictionary<string, NamedHosts> s_hosts = new(StringComparer.Ordinal);
    private static int s_isPublished;

    /// <summary>The counters that have an instrument.</summary>
    private static readonly (RabbitCounter Counter, string Name, string Unit, string Description)[] s_counters =
    [
        (RabbitCounter.Confirmed, "confirmed", Message, "At-least-once messages that the broker confirmed."),
        (RabbitCounter.Resent, "resent", Message, "At-least-once messages that were sent again, because the result of the first publication is unknown."),
        (RabbitCounter.Rejected, "rejected", Message, "At-least-once messages that a full queue refused. They are sent again."),
        (RabbitCounter.Refused, "refused", Message, "At-least-once messages that the broker refused permanently."),
        (RabbitCounter.Unrouted, "unrouted", Message, "At-least-once messages that no queue took."),
        (RabbitCounter.Dropped, "dropped", Message, "Messages that were lost in the host, with its connection or at its end."),
        (RabbitCounter.Repeated, "repeated", Message, "Messages that were delivered or published again, and passed to a handler."),
        (RabbitCounter.Missed, "missed", Message, "At-most-once messages that did not arrive, by their numbers."),
        (RabbitCounter.Filtered, "filtered", Message, "Messages that a filter did not pass to the handler."),
        (RabbitCounter.Abandoned, "abandoned", Message, "At-most-once messages and requests whose handlers had not ended when their host was disposed."),
        (RabbitCounter.Retried, "retried", Message, "Messages that were returned to the broker because their handler threw."),
        (RabbitCounter.DeadLettered, "dead_lettered", Message, "Messages that were sent to the dead letters."),
        (RabbitCounter.HandlerFailures, "handler.failures", "{failure}", "Exceptions of handlers and listeners."),
        (RabbitCounter.RequestsTimedOut, "requests.timed_out", "{request}", "Requests without a reply within their timeout."),
        (RabbitCounter.Disconnects, "disconnects", "{connection}", "Lost connections."),
        (RabbitCounter.FailedSubscriptions, "subscription.failures", "{attempt}", "Subscriptions that the broker refused or ended."),
    ];

    /// <summary>The current values that have an instrument.</summary>
    private static readonly (RabbitCounter Counter, string Name, string Unit, string Description)[] s_gauges =
    [
        (RabbitCounter.Unconfirmed, "unconfirmed", Message, "At-least-once messages that wait for the confirmation of the broker."),
        (RabbitCounter.StalledTopics, "stalled_topics", "{topic}", "Topics that wait for a queue that is full or does not confirm."),
    ];

    /// <summary>Publishes the instruments once. It calls listeners of the program: call it under no lock, and in no type initializer.</summary>
    public static void Publish()
    {
        if (Volatile.Read(ref s_isPublished) != 0 || Interlocked.Exchange(ref s_isPublished, 1) != 0)
            return;
        var meter = new Meter(MessagingMetrics.MeterName, typeof(RabbitMetrics).Assembly.GetName().Version!.ToString(3));
        LoadContextHook.OnUnloading(meter.Dispose);
        foreach (var (counter, name, unit, description) in s_counters)
            meter.CreateObservableCounter(FullName(name), () => Collect(hosts => hosts.Sum(counter)), unit, description);
        foreach (var (counter, name, unit, description) in s_gauges)
            meter.CreateObservableUpDownCounter(FullName(name), () => Collect(hosts => hosts.SumOfRunning(counter)), unit, description);
        meter.CreateObservableUpDownCounter(FullName("connected"), () => Collect(static hosts => hosts.Connected), "{host}", "Hosts that are connected to the broker.");
        meter.CreateObservableCounter(FullName("unsent"), CollectUnsent, Message, "Messages that were not accepted, by the tag status. Full is back-pressure.");
    }

    /// <summary>Adds a host to the metrics.</summary>
    /// <param name="name">The name of the host.</param>
    /// <param name="host">Reads the counters of the host.</param>
    /// <returns>The hosts of the name. Call <see cref="NamedHosts.End"/> when the host is disposed.</returns>
    public static NamedHosts Add(string name, IMeasuredHost host)
    {
        if (!s_hosts.TryGetValue(name, out var hosts))
            hosts = s_hosts.GetOrAdd(s_hosts.Count < MaxNames ? name : RabbitTracing.Other, static _ => new NamedHosts());
        hosts.Add(host);
        return hosts;
    }

    private static List<Measurement<long>> Collect(Func<NamedHosts, long> read)
    {
        var measurements = new List<Measurement<long>>();
        foreach (var (name, hosts) in s_hosts)
            measurements.Add(new Measurement<long>(read(hosts), new KeyValuePair<string, object?>("host", name)));
        return measurements;
    }

    private static List<Measurement<long>> CollectUnsent()
    {
        var measurements = new List<Measurement<long>>();
        foreach (var (name, hosts) in s_hosts)
        {
            foreach (var (status, counter) in ((SendStatus, RabbitCounter)[])[(SendStatus.Full, RabbitCounter.SendsFull), (SendStatus.Closed, RabbitCounter.SendsClosed)])
                measurements.Add(new Measurement<long>(hosts.Sum(counter), new("host", name), new("status", status.ToString())));
        }

        return measurements;
    }

    private static string FullName(string name) => "reloaded.messaging.rabbitmq." + name;
}

/// <summary>A host whose counters the metrics read.</summary>
internal interface IMeasuredHost
{
    /// <summary>Whether the host is connected to the broker.</summary>
    bool IsConnected { get; }

    /// <summary>Returns a copy of the counters.</summary>
    Counters<RabbitCounter> ReadCounters();
}
