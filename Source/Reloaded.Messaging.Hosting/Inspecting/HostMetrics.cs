using System;
using System.Collections.Concurrent;
using System.Collections.Generic;
using System.Diagnostics.CodeAnalysis;
using System.Diagnostics.Metrics;

namespace Reloaded.Messaging.Hosting;

/// <summary>The instruments of all hosts of the process, in the meter of the library. A collection reads the counters that each host has anyway.</summary>
/// <remarks>Hosts with the same endpoint and role are added up. A host is removed when it is disposed, so the meter does not keep it alive.</remarks>
[SuppressMessage("Design", "CA1001", Justification = "The meter is disposed when the library is unloaded.")]
internal sealed class HostMetrics
{
    private static readonly HostMetrics s_instance = new();

    private readonly ConcurrentDictionary<MessageHost, string> _hosts = new();
    private readonly Meter _meter = new(MessagingMetrics.MeterName);

    private HostMetrics()
    {
        LoadContextHook.OnUnloading(_meter.Dispose);
        Gauge("peers", "{peer}", "Connected peers.", static host => host.Registry.Connected.Count);
        Count("sent", "By", "Bytes that the transports accepted.", static host => host.Registry.GetBytes().Sent);
        Count("received", "By", "Bytes that arrived.", static host => host.Registry.GetBytes().Received);
        Gauge("pending", "By", "Bytes that wait to be sent.", CountPending);
        CountByStatus("unsent", "Messages that were not sent, by the tag status. Full is back-pressure.");
        Count("lost", "{message}", "Messages that were queued and not written when their peer disconnected.", static host => host.Resources.Counters.LostFrames);
        Count("unhandled", "{message}", "Events and requests that were received and not handled when this side ended their connection.", static host => host.Resources.Counters.Unhandled);
        Count("requests.timed_out", "{request}", "Requests without a reply within their timeout.", static host => host.RequestCounters.Timeouts);
        Count("replies.late", "{reply}", "Replies and faults whose request had ended.", static host => host.RequestCounters.LateReplies);
        Count("handler.failures", "{failure}", "Exceptions of handlers.", static host => host.Events.Failures.Count);
        CountByReason("disconnects", "Connections that ended after they were open, by the tag reason.", static (host, reason) => host.Resources.Counters.GetDisconnects(reason));
        CountByReason("refusals", "Connections that ended before they were open, by the tag reason.", static (host, reason) => host.Resources.Counters.GetRefusals(reason));
        Gauge("pump.queued", "{message}", "Messages that wait for Pump.", static host => host.Pumping?.Count ?? 0);
        Count("pump.stalls", "{stall}", "Times that messages waited and Pump was not called.", static host => host.Pumping?.Watch.Stalls ?? 0);
    }

    /// <summary>Adds a host until it is removed. The first one publishes the instruments.</summary>
    public static void Add(MessageHost host) => s_instance._hosts[host] = host.Role;

    public static void Remove(MessageHost host) => s_instance._hosts.TryRemove(host, out _);

    private static long CountPending(MessageHost host)
    {
        var pending = 0L;
        foreach (var peer in host.Registry.GetAll())
            pending += peer.Connection.Outbox.PendingBytes;
        return pending;
    }

    private void Count(string name, string unit, string description, Func<MessageHost, long> read) =>
        _meter.CreateObservableCounter(FullName(name), () => Collect(null, [""], (host, _) => read(host)), unit, description);

    private void Gauge(string name, string unit, string description, Func<MessageHost, long> read) =>
        _meter.CreateObservableUpDownCounter(FullName(name), () => Collect(null, [""], (host, _) => read(host)), unit, description);

    private void CountByStatus(string name, string description) =>
        _meter.CreateObservableCounter(FullName(name), () => Collect("status", Enum.GetNames<SendStatus>(), static (host, status) => host.GetCount((SendStatus)status)), "{message}", description);

    private void CountByReason(string name, string description, Func<MessageHost, DisconnectReason, long> read) =>
        _meter.CreateObservableCounter(FullName(name), () => Collect("reason", Enum.GetNames<DisconnectReason>(), (host, reason) => read(host, (DisconnectReason)reason)), "{connection}", description);

    private static string FullName(string name) => "reloaded.messaging.host." + name;

    /// <summary>Adds up a number of the hosts by endpoint and role, and by the values of a tag.</summary>
    /// <param name="tag">The tag; <c>null</c> for one number for each host. A number with a tag is only reported once it is not 0.</param>
    /// <param name="values">The values of the tag.</param>
    /// <param name="read">Reads the number with the tag of an index.</param>
    private List<Measurement<long>> Collect(string? tag, string[] values, Func<MessageHost, int, long> read)
    {
        var sums = new Dictionary<(string Endpoint, string Role, int Value), long>();
        foreach (var (host, role) in _hosts)
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
