using System;
using System.Collections.Generic;
using System.Diagnostics;
using System.Diagnostics.Metrics;
using System.Text;
using RabbitMQ.Client;

namespace Reloaded.Messaging.Hosting.RabbitMQ;

/// <summary>The spans and durations of hosts over RabbitMQ, by the semantic conventions of OpenTelemetry 1.40.0: events are messaging, requests are RPC.</summary>
/// <remarks>The context of a span is sent in the header <c>traceparent</c>. Without a listener, a message costs a few loads and one branch.</remarks>
internal static class RabbitTracing
{
    /// <summary>The name of a message type without a handler.</summary>
    public const string Other = "_OTHER";

    private const string Parent = "traceparent";
    private const string State = "tracestate";
    private const string RpcSystem = "reloaded.messaging";

    /// <summary>Starts the span of a published event, and makes it current.</summary>
    public static Activity? StartPublish(string exchange, string topic, string host, HostReports reports) => Start($"publish {topic}", ActivityKind.Producer, default, reports, activity =>
    {
        AddMessaging(activity, "publish", "send", exchange, topic);
        activity.SetTag("host", host);
    });

    /// <summary>Starts the span of a request, and makes it current.</summary>
    public static Activity? StartRequest(string type, string to, string host, HostReports reports) => Start(type, ActivityKind.Client, default, reports, activity =>
    {
        AddRpc(activity, type);
        activity.SetTag("messaging.destination.name", to);
        activity.SetTag("host", host);
    });

    /// <summary>Starts the span of a handler, and makes it current.</summary>
    /// <param name="type">The name of the message type.</param>
    /// <param name="isRequest">Whether the message is a request.</param>
    /// <param name="properties">The properties of the delivery.</param>
    /// <param name="isBatch">Whether the delivery has several messages.</param>
    /// <param name="from">The origin of the message.</param>
    /// <param name="group">The group of the subscription; <c>null</c> for none.</param>
    /// <param name="exchange">The exchange of the topic.</param>
    /// <param name="host">The name of the host.</param>
    /// <param name="reports">Receives the exceptions of listeners.</param>
    /// <remarks>The context of the publisher is the parent. The context of a batch is that of its first message, so it is a link.</remarks>
    public static Activity? StartProcess(string type, bool isRequest, IReadOnlyBasicProperties properties, bool isBatch, in Origin from, string? group, string exchange, string host, HostReports reports)
    {
        var (context, origin) = (Read(properties), from);
        Activity.Current = null; // of the code that started to receive, which did not cause the message
        return isRequest
            ? Start(type, ActivityKind.Server, context, reports, activity =>
            {
                AddRpc(activity, type);
                activity.SetTag("host", host);
            })
            : Start($"process {origin.Topic}", ActivityKind.Consumer, isBatch ? default : context, reports, activity =>
            {
                AddMessaging(activity, "process", "process", exchange, origin.Topic);
                activity.SetTag("host", host);
                if (group is not null)
                    activity.SetTag("messaging.consumer.group.name", group);
                if (origin.MessageId is { } id)
                    activity.SetTag("messaging.message.id", id);
                if (origin.IsRepeated)
                    activity.SetTag("reloaded.messaging.tries", origin.Tries);
            }, isBatch && context != default ? [new ActivityLink(context)] : null);
    }

    /// <summary>Ends a span. The current activity of the caller does not change.</summary>
    public static void End(Activity? activity, string? error, HostReports reports)
    {
        if (activity is null)
            return;
        if (error is not null)
        {
            activity.SetTag("error.type", error);
            activity.SetStatus(ActivityStatusCode.Error, error);
        }

        var current = Activity.Current;
        try
        {
            activity.Stop();
        }
        catch (Exception e)
        {
            reports.ReportFailure(default, 0, e); // of a listener; the message continues
        }
        finally
        {
            Activity.Current = current == activity ? activity.Parent : current;
        }
    }

    /// <summary>Records the time for which the handler of an event ran. Never throws.</summary>
    public static void RecordProcess(TimeSpan duration, string topic, string? group, string host, string? error, HostReports reports) => Record(
        InstrumentSet.Published!.Events, duration, error, reports, [new("messaging.system", "rabbitmq"), new("messaging.operation.name", "process"), new("messaging.destination.name", topic), new("messaging.consumer.group.name", group), new("host", host)]);

    /// <summary>Records the duration of a request, or of its handler. Never throws.</summary>
    public static void RecordRequest(bool isHandler, TimeSpan duration, string type, string host, string? error, HostReports reports) => Record(
        isHandler ? InstrumentSet.Published!.Replies : InstrumentSet.Published!.Requests, duration, error, reports, [new("rpc.system.name", RpcSystem), new("rpc.method", type), new("rpc.response.status_code", error is null ? "Replied" : isHandler ? "Faulted" : error), new("host", host)]);

    /// <summary>Writes the context of an activity to headers.</summary>
    public static void Inject(IDictionary<string, object?> headers, Activity? activity)
    {
        if (activity is not { IdFormat: ActivityIdFormat.W3C, Id: { } id })
            return;
        headers[Parent] = id;
        if (activity.TraceStateString is { Length: > 0 } state)
            headers[State] = state;
    }

    private static ActivityContext Read(IReadOnlyBasicProperties properties) =>
        properties.Headers is { } headers && ActivityContext.TryParse(TextOf(headers, Parent), TextOf(headers, State), isRemote: true, out var context) ? context : default;

    private static string? TextOf(IDictionary<string, object?> headers, string name) =>
        headers.TryGetValue(name, out var value) && value is byte[] { Length: <= 512 } text ? Encoding.ASCII.GetString(text) : null;

    private static Activity? Start(string name, ActivityKind kind, ActivityContext parent, HostReports reports, Action<Activity> tag, ActivityLink[]? links = null)
    {
        try
        {
            var activity = InstrumentSet.Published!.Source.StartActivity(name, kind, parent, tags: null, links);
            if (activity is { IsAllDataRequested: true })
                tag(activity);
            return activity;
        }
        catch (Exception e)
        {
            reports.ReportFailure(default, 0, e); // of a listener; the message continues without the span
            return null;
        }
    }

    private static void AddMessaging(Activity activity, string name, string type, string exchange, string topic)
    {
        activity.SetTag("messaging.system", "rabbitmq");
        activity.SetTag("messaging.operation.name", name);
        activity.SetTag("messaging.operation.type", type);
        activity.SetTag("messaging.destination.name", $"{exchange}:{topic}");
        activity.SetTag("messaging.rabbitmq.destination.routing_key", topic);
    }

    private static void AddRpc(Activity activity, string type)
    {
        activity.SetTag("rpc.system.name", RpcSystem);
        activity.SetTag("rpc.method", type);
    }

    private static void Record(Histogram<double> histogram, TimeSpan duration, string? error, HostReports reports, ReadOnlySpan<KeyValuePair<string, object?>> all)
    {
        if (!histogram.Enabled)
            return;
        var tags = default(TagList);
        foreach (var tag in all)
        {
            if (tag.Value is not null)
                tags.Add(tag);
        }

        if (error is not null)
            tags.Add("error.type", error);
        try
        {
            histogram.Record(duration.TotalSeconds, in tags);
        }
        catch (Exception e)
        {
            reports.ReportFailure(default, 0, e); // of a listener; the request or the handler has ended
        }
    }
}
