using System.Diagnostics;
using Reloaded.Messaging.Wire;

namespace Reloaded.Messaging.Hosting.RabbitMQ;

/// <summary>The call of a handler that is traced as a span, measured as a duration, or both. Created only while something listens.</summary>
internal sealed class HandlerOperation
{
    private readonly Inbox _inbox;
    private readonly SubscribedQueue _queue;
    private readonly bool _isRequest;
    private readonly string _type;
    private readonly Activity? _outer = Activity.Current;
    private readonly Activity? _span;
    private readonly long _startedAt = Stopwatch.GetTimestamp();

    /// <summary>Starts the operation, and makes its span current on this thread.</summary>
    public HandlerOperation(Inbox inbox, SubscribedQueue queue, Delivery delivery, in Origin from, in MessageHeader header)
    {
        (_inbox, _queue) = (inbox, queue);
        _isRequest = header.Kind == MessageKind.Request;
        _type = inbox.NameOf(header.Type);
        if (InstrumentSet.Published is { IsTraced: true })
            _span = RabbitTracing.StartProcess(_type, _isRequest, delivery.Properties, delivery.IsBatch, in from, queue.Group, inbox.Names.ExchangeOf(queue.Kind), inbox.Options.Name, inbox.Reports);
    }

    /// <summary>Makes the span no longer current on this thread. A handler that continues keeps it.</summary>
    public void Leave() => Activity.Current = _outer;

    /// <summary>Ends the operation. Never throws.</summary>
    /// <param name="error">The value of the tag <c>error.type</c>; <c>null</c> for success.</param>
    public void End(string? error)
    {
        var duration = Stopwatch.GetElapsedTime(_startedAt);
        if (_isRequest)
            RabbitTracing.RecordRequest(isHandler: true, duration, _type, _inbox.Options.Name, error, _inbox.Reports);
        else
            RabbitTracing.RecordProcess(duration, _queue.Topic, _queue.Group, _inbox.Options.Name, error, _inbox.Reports);
        RabbitTracing.End(_span, error, _inbox.Reports);
    }
}
