using System;
using System.Collections.Generic;
using System.Diagnostics;
using System.Diagnostics.Metrics;

namespace Reloaded.Messaging.Hosting;

/// <summary>The durations of requests and of handlers, by the semantic conventions of OpenTelemetry 1.40.0.</summary>
internal static class OperationDurations
{
    private static readonly Meter s_meter = CreateMeter();

    private static readonly Histogram<double> s_requests = Create("rpc.client.call.duration", "The time from the start of a request to its end, by status.");
    private static readonly Histogram<double> s_replies = Create("rpc.server.call.duration", "The time for which the handler of a request ran.");
    private static readonly Histogram<double> s_events = Create("messaging.process.duration", "The time for which the handler of an event ran.");

    /// <summary>Whether a duration has a listener.</summary>
    public static bool IsEnabled => s_requests.Enabled || s_replies.Enabled || s_events.Enabled;

    /// <summary>Records a duration. Sends have no duration, because a send never waits.</summary>
    public static void Record(OperationKind kind, TimeSpan duration, string system, string type, string endpoint, string status, string? error)
    {
        var instrument = kind switch
        {
            OperationKind.Request => s_requests,
            OperationKind.Reply => s_replies,
            OperationKind.Process => s_events,
            _ => null,
        };
        if (instrument is not { Enabled: true })
            return;

        var tags = default(TagList);
        if (kind == OperationKind.Process)
        {
            tags.Add("messaging.system", system);
            tags.Add("messaging.operation.name", "process");
            tags.Add("messaging.destination.name", type);
        }
        else
        {
            tags.Add("rpc.system.name", system);
            tags.Add("rpc.method", type);
            tags.Add("rpc.response.status_code", status);
        }

        tags.Add("endpoint", endpoint);
        if (error is not null)
            tags.Add("error.type", error);
        instrument.Record(duration.TotalSeconds, in tags);
    }

    private static Histogram<double> Create(string name, string description) => DurationHistogram.Create(s_meter, name, description);

    private static Meter CreateMeter()
    {
        var meter = new Meter(MessagingMetrics.MeterName);
        LoadContextHook.OnUnloading(meter.Dispose);
        return meter;
    }
}
