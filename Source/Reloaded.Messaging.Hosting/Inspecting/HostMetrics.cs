using System.Collections.Concurrent;
using System.Diagnostics.Metrics;

namespace Reloaded.Messaging.Hosting;

/// <summary>The instruments of all hosts of the process, in the meter of the library. A collection reads the counters that each host has anyway.</summary>
/// <remarks>Hosts with the same endpoint and role are added up. A host is removed when it is disposed, so the meter does not keep it alive.</remarks>
internal static class HostMetrics
{
    private static readonly ConcurrentDictionary<MessageHost, string> s_hosts = new();
    private static int s_isPublished;

    /// <summary>The counters that have an instrument.</summary>
    private static readonly (HostCounter Counter, string Name, string Unit, string Description)[] s_counters =
    [
        (HostCounter.LostFrames, "lost", "{message}", "Messages that were queued and not written when their peer disconnected."),
        (HostCounter.UnhandledMessages, "unhandled", "{message}", "Events and requests that were received and not handled when this side ended their connection."),
        (HostCounter.RequestsTimedOut, "requests.timed_out", "{request}", "Requests without a reply within their timeout."),
        (HostCounter.LateReplies, "replies.late", "{reply}", "Replies, faults and reports whose request had ended."),
        (HostCounter.HandlerFailures, "handler.failures", "{failure}", "Exceptions of handlers."),
        (HostCounter.PumpStalls, "pump.stalls", "{stall}", "Times that messages waited and Pump was not called."),
    ];

    /// <summary>Publishes the instruments once. It calls listeners of the program: call it under no lock, and in no type initializer.</summary>
    public static void Publish()
    {
        if (Volatile.Read(ref s_isPublished) != 0 || Interlocked.Exchange(ref s_isPublished, 1) != 0)
            return;
        var meter = new Meter(MessagingMetrics.MeterName, typeof(HostMetrics).Assembly.GetName().Version!.ToString(3));
        LoadContextHook.OnUnloading(meter.Dispose);
        Gauge("peers", "{peer}", "Connected peers.", static host => host.Registry.Connected.Count);
        Count("sent", "By", "Bytes that the transports accepted.", static host => host.Registry.GetBytes().Sent);
        Count("received", "By", "Bytes that arrived.", static host => host.Registry.GetBytes().Received);
        Gauge("pending", "By", "Bytes that wait to be sent.", CountPending);
        CountByTag("unsent", "status", "{message}", "Messages that were not sent, by the tag status. Full is back-pressure.", static (MessageHost host, SendStatus status) => host.Resources.Sends[status]);
        foreach (var (counter, name, unit, description) in s_counters)
            Count(name, unit, description, host => host.Read(counter));
        CountByTag("disconnects", "reason", "{connection}", "Connections that ended after they were open, by the tag reason.", static (MessageHost host, DisconnectReason reason) => host.Resources.Disconnects[reason]);
        CountByTag("refusals", "reason", "{connection}", "Connections that ended before they were open, by the tag reason.", static (MessageHost host, DisconnectReason reason) => host.Resources.Refusals[reason]);
        Count("datagrams.received", "{datagram}", "Datagrams that arrived.", static host => host.Datagrams.Received);
        Count("datagrams.sent", "{datagram}", "Datagrams that were sent and must be acknowledged.", static host => host.Datagrams.Sent);
        Count("datagrams.lost", "{datagram}", "Datagrams that were sent and lost.", static host => host.Datagrams.Lost);
        CountByTag("datagrams.dropped", "reason", "{datagram}", "Datagrams that were dropped, by the tag reason.", static (MessageHost host, DatagramDropReason reason) => host.Datagrams.GetDropped(reason));
        Gauge("pump.queued", "{message}", "Messages that wait for Pump.", static host => host.Inbox?.Count ?? 0);

        void Count(string name, string unit, string description, Func<MessageHost, long> read) =>
            meter.CreateObservableCounter(FullName(name), () => Collect(null, [""], (host, _) => read(host)), unit, description);

        void Gauge(string name, string unit, string description, Func<MessageHost, long> read) =>
            meter.CreateObservableUpDownCounter(FullName(name), () => Collect(null, [""], (host, _) => read(host)), unit, description);

        void CountByTag<TCounter>(string name, string tag, string unit, string description, Func<MessageHost, TCounter, long> read)
            where TCounter : struct, Enum =>
            meter.CreateObservableCounter(FullName(name), () => Collect(tag, Enum.GetNames<TCounter>(), (host, value) => read(host, Counters<TCounter>.All[value])), unit, description);
    }

    /// <summary>Adds a host until it is removed.</summary>
    public static void Add(MessageHost host) => s_hosts[host] = host.Role;

    public static void Remove(MessageHost host) => s_hosts.TryRemove(host, out _);

    private static long CountPending(MessageHost host)
    {
        var pending = 0L;
        foreach (var peer in host.Registry.GetAll())
            pending += peer.Connection.Outbox.PendingBytes;
        return pending;
    }

    private static string FullName(string name) => "reloaded.messaging.host." + name;

    /// <summary>Adds up a number of the hosts by endpoint and role, and by the values of a tag.</summary>
    /// <param name="tag">The tag; <c>null</c> for one number for each host. A number with a tag is only reported once it is not 0.</param>
    /// <param name="values">The values of the tag.</param>
    /// <param name="read">Reads the number with the tag of an index.</param>
    private static List<Measurement<long>> Collect(string? tag, string[] values, Func<MessageHost, int, long> read)
    {
        var sums = new Dictionary<(string Endpoint, string Role, int Value), long>();
        foreach (var (host, role) in s_hosts)
        {
            for (var i = 0; i < values.Length; i++)
            {
                var number = read(host, i);
                var key = (host.EndpointTag, role, i);
                if (tag is null || number > 0)
                    sums[key] = sums.GetValueOrDefault(key) + number;
            }
        }

        var measurements = new List<Measurement<long>>(sums.Count);
        foreach (var ((endpoint, role, value), sum) in sums)
        {
            KeyValuePair<string, object?>[] tags = [new("endpoint", endpoint), new("role", role)];
            measurements.Add(new Measurement<long>(sum, tag is null ? tags : [.. tags, new(tag, values[value])]));
        }

        return measurements;
    }
}
