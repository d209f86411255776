using System.Diagnostics;
using System.Runtime.CompilerServices;
using System.Text;

namespace Reloaded.Messaging.Hosting;

/// <summary>One operation that is traced as a span, measured as a duration, or both. Created only while something listens.</summary>
/// <remarks>The names are those of the semantic conventions of OpenTelemetry 1.40.0: requests are RPC, events are messaging.</remarks>
internal sealed class MessageOperation
{
    private const string System = "reloaded.messaging";

    private static readonly MessageWriter s_contexts = new();
    private static readonly ConditionalWeakTable<string, RemotePlace> s_remotes = new(); // by the name of a connection, so that each name is parsed once

    private readonly OperationKind _kind;
    private readonly string _type;
    private readonly string _endpoint;
    private readonly Activity? _activity;
    private readonly Action<Exception> _failed;
    private readonly long _startedAt = Stopwatch.GetTimestamp();
    private Activity? _outer;

    private MessageOperation(OperationKind kind, string type, string endpoint, Activity? activity, Action<Exception> failed) =>
        (_kind, _type, _endpoint, _activity, _failed) = (kind, type, endpoint, activity, failed);

    /// <summary>Whether this build has spans.</summary>
    public static bool IsSupported => true;

    /// <summary>Whether spans have a listener.</summary>
    public static bool IsTraced => OperationInstruments.ArePublished && OperationInstruments.Published.Source.HasListeners();

    /// <summary>Whether spans or durations have a listener.</summary>
    public static bool IsObserved => OperationInstruments.ArePublished && (OperationInstruments.Published.Source.HasListeners() || OperationInstruments.HaveDurations);

    /// <summary>Starts an operation. The current activity of the thread does not change.</summary>
    /// <param name="kind">The kind.</param>
    /// <param name="type">The name of the message type, from a small set.</param>
    /// <param name="endpoint">The value of the tag <c>endpoint</c>.</param>
    /// <param name="remoteName">The name of the remote side; <c>null</c> for an operation of many peers.</param>
    /// <param name="failed">Receives each exception of a listener. The message continues without the span or the duration.</param>
    /// <param name="parent">The context that arrived with the message; <c>null</c> for none. Operations that send have the current activity as their parent.</param>
    public static MessageOperation Start(OperationKind kind, string type, string endpoint, string? remoteName, Action<Exception> failed, TraceContext? parent = null)
    {
        var current = Activity.Current;
        Activity? activity = null;
        try
        {
            if (kind is OperationKind.Reply or OperationKind.Process)
                Activity.Current = null; // of the code that started to receive, which did not cause the message
            activity = StartActivity(kind, type, parent);
        }
        catch (Exception e)
        {
            failed(e);
        }
        finally
        {
            Activity.Current = current;
        }

        if (activity is { IsAllDataRequested: true })
            AddTags(activity, kind, type, endpoint, remoteName);
        return new MessageOperation(kind, type, endpoint, activity, failed);
    }

    /// <summary>Makes the span current on this thread, so that it is the parent of what the handler does.</summary>
    public void Enter()
    {
        _outer = Activity.Current;
        Activity.Current = _activity;
    }

    /// <summary>Reverts <see cref="Enter"/>.</summary>
    public void Leave() => Activity.Current = _outer;

    /// <summary>Returns the packed message with the context of the span, which precedes the message itself; <c>null</c> if there is no context.</summary>
    /// <param name="messageType">The type of the message.</param>
    /// <param name="correlationId">The correlation id of a request; 0 for an event.</param>
    public byte[]? PackContext(uint messageType, uint correlationId)
    {
        if ((_activity ?? Activity.Current) is not { IdFormat: ActivityIdFormat.W3C } activity) // a span that is not sampled passes the context on
            return null;
        var parent = new byte[TraceContext.ParentSize];
        activity.TraceId.CopyTo(parent.AsSpan(0, TraceContext.TraceIdSize));
        activity.SpanId.CopyTo(parent.AsSpan(TraceContext.TraceIdSize, TraceContext.SpanIdSize));
        parent[^1] = (byte)activity.ActivityTraceFlags;
        var state = activity.TraceStateString;
        var isSendable = state is { Length: <= TraceContext.MaxState } && Ascii.IsValid(state);
        using var packed = s_contexts.Pack(TraceContext.Contract, new TraceContext(messageType, correlationId, parent, isSendable ? Encoding.ASCII.GetBytes(state!) : []));
        return packed.Span.ToArray();
    }

    /// <summary>Ends the operation. Call it once. Never throws.</summary>
    /// <param name="error">The value of the tag <c>error.type</c>, from a small set; <c>null</c> for success.</param>
    /// <param name="description">The description of the error for the span.</param>
    public void End(string? error, string? description = null)
    {
        try
        {
            OperationInstruments.Record(_kind, Stopwatch.GetElapsedTime(_startedAt), System, _type, _endpoint, StatusOf(_kind, error), error);
        }
        catch (Exception e)
        {
            _failed(e); // of a listener; the request or the handler has ended, so no caller could handle it
        }

        if (_activity is null)
            return;
        if (error is not null)
        {
            _activity.SetTag("error.type", error);
            _activity.SetStatus(ActivityStatusCode.Error, description ?? error);
        }

        if (_kind is OperationKind.Request or OperationKind.Reply)
            _activity.SetTag("rpc.response.status_code", StatusOf(_kind, error));

        var current = Activity.Current;
        try
        {
            _activity.Stop();
        }
        catch (Exception e)
        {
            _failed(e);
        }
        finally
        {
            Activity.Current = current; // Stop has set the activity before this one
        }
    }

    private static Activity? StartActivity(OperationKind kind, string type, TraceContext? parent) => OperationInstruments.Published.Source.StartActivity(
        kind switch
        {
            OperationKind.Send => $"send {type}",
            OperationKind.Process => $"process {type}",
            _ => type,
        },
        kind switch
        {
            OperationKind.Request => ActivityKind.Client,
            OperationKind.Reply => ActivityKind.Server,
            OperationKind.Send => ActivityKind.Producer,
            _ => ActivityKind.Consumer,
        },
        parent is null ? default : Read(parent));

    private static string StatusOf(OperationKind kind, string? error) =>
        error is null ? "Replied" : kind == OperationKind.Request ? error : "Faulted";

    private static void AddTags(Activity activity, OperationKind kind, string type, string endpoint, string? remoteName)
    {
        if (kind is OperationKind.Request or OperationKind.Reply)
        {
            activity.SetTag("rpc.system.name", System);
            activity.SetTag("rpc.method", type);
        }
        else
        {
            var name = kind == OperationKind.Send ? "send" : "process";
            activity.SetTag("messaging.system", System);
            activity.SetTag("messaging.operation.name", name);
            activity.SetTag("messaging.operation.type", name);
            activity.SetTag("messaging.destination.name", type);
        }

        activity.SetTag("endpoint", endpoint);
        if (remoteName is null)
            return;
        var remote = s_remotes.GetValue(remoteName, static name => new RemotePlace(name));
        activity.SetTag("network.peer.address", remote.Address);
        if (remote.Port is { } port)
            activity.SetTag("network.peer.port", port);
        if (kind != OperationKind.Request)
            return;
        activity.SetTag("server.address", remote.Address);
        if (remote.Port is { } serverPort)
            activity.SetTag("server.port", serverPort);
    }

    private static ActivityContext Read(TraceContext context)
    {
        var parent = context.Parent.AsSpan();
        return new ActivityContext(
            ActivityTraceId.CreateFromBytes(parent.Slice(0, TraceContext.TraceIdSize)),
            ActivitySpanId.CreateFromBytes(parent.Slice(TraceContext.TraceIdSize, TraceContext.SpanIdSize)),
            (ActivityTraceFlags)parent[^1] & ActivityTraceFlags.Recorded,
            context.State.Length > 0 ? Encoding.ASCII.GetString(context.State) : null,
            isRemote: true);
    }
}
