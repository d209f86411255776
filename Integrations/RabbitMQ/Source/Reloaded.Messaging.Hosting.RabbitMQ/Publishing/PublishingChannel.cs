using System;
using System.Collections.Generic;
using System.Diagnostics;
using System.Globalization;
using System.Runtime.CompilerServices;
using System.Threading;
using System.Threading.Tasks;
using RabbitMQ.Client;
using RabbitMQ.Client.Events;
using Reloaded.Messaging.Wire;

namespace Reloaded.Messaging.Hosting.RabbitMQ;

/// <summary>Publishes the messages of a queue over a connection. If the broker closes the channel because of a message, or refuses a stalled topic again, another channel replaces it.</summary>
/// <remarks>
/// The rest of the connection is not affected. If the broker does not confirm messages while other topics wait, another channel continues, and the earlier one stays open until its
/// messages are confirmed.
/// </remarks>
internal sealed class PublishingChannel
{
    /// <summary>The maximum number of topics that are reported as unrouted for each connection.</summary>
    private const int MaxReported = 1024;

    private static readonly TimeSpan s_minPause = TimeSpan.FromMilliseconds(10);
    private static readonly TimeSpan s_maxPause = TimeSpan.FromSeconds(1);

    private readonly PublishQueues _queues;
    private readonly BrokerConnection _link;
    private readonly PublishQueue _queue;
    private readonly DeliveryKind _kind;
    private readonly HashSet<string> _unrouted = []; // the topics that were reported; used by the thread that receives
    private OpenChannel _current = null!;

    public PublishingChannel(PublishQueues queues, BrokerConnection link, PublishQueue queue, DeliveryKind kind) =>
        (_queues, _link, _queue, _kind) = (queues, link, queue, kind);

    /// <summary>Creates the channel.</summary>
    public async Task OpenAsync(CancellationToken cancellationToken)
    {
        var confirms = _kind == DeliveryKind.AtLeastOnce;
        var options = new CreateChannelOptions(confirms, publisherConfirmationTrackingEnabled: false);
        var connection = _queue == _queues.Direct ? _link.Requesting : _link.Publishing;
        var channel = await connection.CreateChannelAsync(options, cancellationToken).ConfigureAwait(false);
        var opened = new OpenChannel(channel, this);
        channel.ChannelShutdownAsync += opened.OnShutdownAsync;
        if (confirms)
        {
            channel.BasicReturnAsync += OnUnroutedAsync;
            channel.BasicAcksAsync += (_, ack) => opened.Confirm(ack.DeliveryTag, ack.Multiple, isTaken: true);
            channel.BasicNacksAsync += (_, nack) => opened.Confirm(nack.DeliveryTag, nack.Multiple, isTaken: false);
        }
        else
        {
            channel.BasicReturnAsync += OnUnansweredAsync;
        }

        _current = opened;
    }

    /// <summary>Publishes until the connection is lost.</summary>
    public async Task RunAsync()
    {
        var pause = s_minPause;
        while (true)
        {
            var (started, current) = (Environment.TickCount64, _current);
            current.Flights = _queue.Flights;
            current.IsLeft = await new Publisher(_queues, _link, _queue, current.Channel, _kind).RunAsync().ConfigureAwait(false);
            if (_link.IsLost)
                return;
            if (current.Channel.CloseReason is { } closed)
            {
                if (!closed.IsOfPublication())
                    return;
                current.Interrupt(closed);
                pause = Environment.TickCount64 - started > s_maxPause.TotalMilliseconds ? s_minPause : pause * 2 < s_maxPause ? pause * 2 : s_maxPause;
            }

            _queue.ReportNotices(_queues.Reports);
            try
            {
                await Task.Delay(pause, _link.Ended).ConfigureAwait(false);
                if (!current.IsLeft)
                    await current.CloseAsync().ConfigureAwait(false);
                await OpenAsync(_link.Ended).ConfigureAwait(false);
                _queue.Wake();
            }
            catch (Exception e)
            {
                _link.Lose(e.Message);
                return;
            }
        }
    }

    private Task OnUnroutedAsync(object sender, BasicReturnEventArgs returned)
    {
        _queues.Reports.Count(RabbitCounter.Unrouted);
        if (_unrouted.Count < MaxReported && _unrouted.Add(returned.RoutingKey))
            _queues.Reports.ReportUnrouted(returned.RoutingKey);
        return Task.CompletedTask;
    }

    private Task OnUnansweredAsync(object sender, BasicReturnEventArgs returned)
    {
        if (MessageHeader.TryRead(returned.Body.Span, out var header, out _) == HeaderStatus.Ok && header.Kind == MessageKind.Request)
            _queues.ReportUnanswered(header.CorrelationId, returned.RoutingKey);
        return Task.CompletedTask;
    }

    /// <summary>A channel, and the publications over it.</summary>
    private sealed class OpenChannel(IChannel channel, PublishingChannel owner)
    {
        public IChannel Channel => channel;

        /// <summary>The unconfirmed publications. Set before the first one.</summary>
        public UnconfirmedFlights? Flights { get; set; }

        /// <summary>Whether another channel continues while this one stays open.</summary>
        public bool IsLeft { get => Volatile.Read(ref field); set => Volatile.Write(ref field, value); }

        public Task Confirm(ulong tag, bool multiple, bool isTaken)
        {
            if (owner._queue.Confirm(Flights!, tag, multiple, isTaken))
                _ = CloseAsync().ContinueWith(static late => late.Exception, CancellationToken.None, TaskContinuationOptions.OnlyOnFaulted, TaskScheduler.Default); // the channel ends with its connection otherwise
            return Task.CompletedTask;
        }

        /// <summary>Publishes the unconfirmed messages again, because the broker closed the channel. A second call does nothing.</summary>
        public void Interrupt(ShutdownEventArgs closed) => owner._queue.Interrupt(Flights!, closed.ReplyText, isTopic: closed.ReplyCode == Constants.AccessRefused);

        /// <summary>Closes the channel. The connection stays.</summary>
        public async Task CloseAsync()
        {
            channel.ChannelShutdownAsync -= OnShutdownAsync;
            await channel.DisposeAsync().ConfigureAwait(false);
        }

        public Task OnShutdownAsync(object sender, ShutdownEventArgs shutdown)
        {
            if (!shutdown.IsOfPublication())
                owner._link.Lose(shutdown.ReplyText);
            else if (IsLeft)
                Interrupt(shutdown);
            else
                owner._queue.Wake(); // the publishing loop detects it
            return Task.CompletedTask;
        }
    }
}

/// <summary>Publishes the messages of a queue over one channel, one after the other, until the connection is lost, the channel is closed, or the queue wants another channel.</summary>
/// <remarks>
/// The client copies the body into its own frame before its first wait, so the buffer of a message may be returned while the publication continues.
/// The loop reuses the objects of the properties, because the client has read them by then too.
/// </remarks>
internal sealed class Publisher
{
    /// <summary>The maximum size of a batch, in bytes. Larger batches take longer without reducing the number of broker messages noticeably.</summary>
    private const int MaxBatchBytes = 16 * 1024;

    private readonly HostReports _reports;
    private readonly BrokerConnection _link;
    private readonly PublishQueue _queue;
    private readonly IChannel _channel;
    private readonly CancellationToken _ended;
    private readonly bool _confirms;
    private readonly string _events;
    private readonly string _requests;
    private readonly string _replies;
    private readonly TimeSpan _batchDelay;
    private readonly int _batchBytes;
    private readonly MessageBatch? _batch;
    private readonly BasicProperties _event;
    private readonly BasicProperties _repeated;
    private readonly BasicProperties _request;
    private readonly BasicProperties _answer;
    private readonly Dictionary<uint, string> _typeNames = [];

    public Publisher(PublishQueues queues, BrokerConnection link, PublishQueue queue, IChannel channel, DeliveryKind kind)
    {
        var (names, options) = (queues.Names, queues.Options);
        (_reports, _link, _queue, _channel, _ended) = (queues.Reports, link, queue, channel, link.Ended);
        _confirms = kind == DeliveryKind.AtLeastOnce;
        _events = names.ExchangeOf(kind);
        _requests = names.Requests;
        _replies = names.Replies;
        _batchDelay = queue == queues.Direct ? TimeSpan.Zero : options.BatchDelay; // requests and replies do not wait
        _batchBytes = Math.Min(MaxBatchBytes, options.MessageLimits.MaxMessageSize);
        _batch = _batchDelay > TimeSpan.Zero ? new MessageBatch(_batchBytes) : null;
        var mode = _confirms ? DeliveryModes.Persistent : DeliveryModes.Transient;
        // With confirms, the client looks for headers in each message, and would otherwise create them.
        _event = new BasicProperties { AppId = names.HostId, ContentType = TopologyNames.ContentType, DeliveryMode = mode, Headers = _confirms ? new Dictionary<string, object?>() : null };
        _repeated = new BasicProperties { AppId = names.HostId, ContentType = TopologyNames.ContentType, DeliveryMode = mode, Headers = new Dictionary<string, object?> { [TopologyNames.RepeatedHeader] = true } };
        _request = new BasicProperties { AppId = names.HostId, ContentType = TopologyNames.ContentType, DeliveryMode = mode };
        _answer = new BasicProperties { AppId = names.HostId, ContentType = TopologyNames.ContentType, DeliveryMode = mode };
    }

    /// <summary>Publishes until the connection is lost, the channel is closed, or the queue wants another channel.</summary>
    /// <returns>Whether the queue has left the channel, which keeps its unconfirmed publications.</returns>
    public async Task<bool> RunAsync()
    {
        var retry = _confirms ? Detached.Start(() => new Timer(static queue => ((PublishQueue)queue!).Wake(), _queue, Timeout.Infinite, Timeout.Infinite)) : null;
        try
        {
            while (true)
            {
                await _queue.WaitForWorkAsync().ConfigureAwait(false);
                if (_link.IsLost || _channel.IsClosed)
                    return false;
                if (_batch is not null && !_queue.HasFullBatch(_batchBytes))
                    await Task.Delay(_batchDelay).ConfigureAwait(false);
                if (retry is not null)
                    Retry(retry);
                if (_confirms && _queue.TryEndChannel())
                    return false;
                if (_confirms && _queue.TryLeaveChannel(Environment.TickCount64))
                    return true;
                while (!_link.IsLost && _queue.TryTake(_batch, _batchBytes, out var publication))
                    await PublishAsync(publication).ConfigureAwait(false);
                _queue.ReportNotices(_reports);
            }
        }
        catch (Exception e)
        {
            if (!_channel.IsClosedByPublication())
                _link.Lose(e.Message); // after any exception, because nothing would be published any more
            return false;
        }
        finally
        {
            retry?.Dispose();
            _batch?.Dispose();
        }
    }

    private void Retry(Timer timer)
    {
        var now = Environment.TickCount64;
        var next = _queue.Retry(now);
        if (next != long.MaxValue)
            timer.Change(next - now, Timeout.Infinite);
    }

    [AsyncMethodBuilder(typeof(PoolingAsyncValueTaskMethodBuilder))]
    private async ValueTask PublishAsync(Publication publication)
    {
        try
        {
            var head = publication.Head;
            Activity.Current = head.Activity; // the parent of the client's activity is that of this message, not that of another message or of the caller of ConnectAsync
            var exchange = head.Kind switch
            {
                OutgoingKind.Event => _events,
                OutgoingKind.Request => _requests,
                _ => _replies,
            };
            await _channel.BasicPublishAsync(
                exchange,
                head.Key,
                mandatory: _confirms || head.Kind == OutgoingKind.Request, // the broker reports messages without a recipient
                Fill(in publication),
                publication.Body,
                _ended).ConfigureAwait(false);
        }
        finally
        {
            if (!_confirms)
                _queue.Finish(in publication);
        }
    }

    private BasicProperties Fill(in Publication publication)
    {
        var head = publication.Head;
        if (head.Kind != OutgoingKind.Event)
        {
            var direct = head.Kind == OutgoingKind.Request ? _request : _answer;
            direct.Expiration = head.Expiration;
            direct.Headers = null;
            direct.Type = TypeOf(publication.Body.Span);
            Trace(direct, head.Activity);
            return direct;
        }

        // The timestamp is the only numeric property of AMQP that needs no string. It holds the number of the message, or of the first message in a batch.
        var properties = head.IsRepeated ? _repeated : _event;
        properties.Timestamp = new AmqpTimestamp((long)head.Number);
        properties.MessageId = head.Id;
        properties.Type = publication.Count > 1 ? TopologyNames.Batch : TypeOf(publication.Body.Span);
        ClearHeaders(properties, head.IsRepeated);
        if (head.Slot > 0)
            properties.Headers![PartitionSlot.Header] = PartitionSlot.NameOf(head.Slot);
        Trace(properties, head.Activity);
        return properties;
    }

    /// <summary>Adds the context of the span in which the message was published. A span of the client library replaces the context by its own.</summary>
    private static void Trace(BasicProperties properties, Activity? activity)
    {
        if (activity is not null && InstrumentSet.Published is { IsTraced: true })
            RabbitTracing.Inject(properties.Headers ??= new Dictionary<string, object?>(), activity);
    }

    /// <summary>Returns the type of a message as text. Allocates only for the first message of each type.</summary>
    private string? TypeOf(ReadOnlySpan<byte> message)
    {
        if (MessageHeader.TryRead(message, out var header, out _) != HeaderStatus.Ok)
            return null;
        if (!_typeNames.TryGetValue(header.Type, out var name))
            _typeNames.Add(header.Type, name = header.Type.ToString(CultureInfo.InvariantCulture));
        return name;
    }

    /// <summary>Removes the headers of the previous message, which contain its trace context.</summary>
    private void ClearHeaders(BasicProperties properties, bool isRepeated)
    {
        if (properties.Headers is not { } headers || headers.Count == (isRepeated ? 1 : 0))
            return;
        if (!_confirms)
        {
            properties.Headers = null;
            return;
        }

        headers.Clear();
        if (isRepeated)
            headers[TopologyNames.RepeatedHeader] = true;
    }
}

/// <summary>Determines the reasons for which channels are closed.</summary>
internal static class ChannelExtensions
{
    /// <summary>The AMQP class "basic".</summary>
    private const ushort Basic = 60;

    /// <summary>The method "publish" of the class "basic".</summary>
    private const ushort Publish = 40;

    /// <summary>Returns whether the broker closed a channel because of a published message. In this case, the connection stays open.</summary>
    public static bool IsClosedByPublication(this IChannel channel) => channel.CloseReason?.IsOfPublication() == true;

    /// <inheritdoc cref="IsClosedByPublication"/>
    public static bool IsOfPublication(this ShutdownEventArgs shutdown) =>
        shutdown is { Initiator: ShutdownInitiator.Peer, ClassId: Basic, MethodId: Publish, ReplyCode: Constants.AccessRefused or Constants.PreconditionFailed or Constants.ContentTooLarge };
}
