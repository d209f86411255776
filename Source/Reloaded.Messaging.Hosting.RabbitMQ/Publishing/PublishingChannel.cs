using System;
using System.Collections.Generic;
using System.Threading;
using System.Threading.Tasks;
using RabbitMQ.Client;
using RabbitMQ.Client.Events;
using Reloaded.Messaging.Wire;

namespace Reloaded.Messaging.Hosting.RabbitMQ;

/// <summary>Publishes the messages of a queue over a connection. If the broker closes the channel because of a message, or refuses a stalled topic again, another channel replaces it.</summary>
/// <remarks>The rest of the connection is not affected.</remarks>
internal sealed class PublishingChannel
{
    /// <summary>The maximum number of topics that are reported as unrouted for each connection.</summary>
    private const int MaxReported = 1024;

    private static readonly TimeSpan s_minPause = TimeSpan.FromMilliseconds(10);
    private static readonly TimeSpan s_maxPause = TimeSpan.FromSeconds(1);

    private readonly Outbox _outbox;
    private readonly BrokerConnection _link;
    private readonly PublishQueue _queue;
    private readonly DeliveryKind _kind;
    private readonly HashSet<string> _unrouted = []; // the topics that were reported; used by the thread that receives
    private IChannel _channel = null!;

    public PublishingChannel(Outbox outbox, BrokerConnection link, PublishQueue queue, DeliveryKind kind) =>
        (_outbox, _link, _queue, _kind) = (outbox, link, queue, kind);

    /// <summary>Creates the channel.</summary>
    public async Task OpenAsync(CancellationToken cancellationToken)
    {
        var confirms = _kind == DeliveryKind.AtLeastOnce;
        var options = new CreateChannelOptions(confirms, publisherConfirmationTrackingEnabled: false);
        var channel = await _link.Publishing.CreateChannelAsync(options, cancellationToken).ConfigureAwait(false);
        channel.ChannelShutdownAsync += OnShutdownAsync;
        if (confirms)
        {
            channel.BasicReturnAsync += OnUnroutedAsync;
            channel.BasicAcksAsync += (_, ack) => Confirm(channel, ack.DeliveryTag, ack.Multiple, isTaken: true);
            channel.BasicNacksAsync += (_, nack) => Confirm(channel, nack.DeliveryTag, nack.Multiple, isTaken: false);
        }
        else
        {
            channel.BasicReturnAsync += OnUnansweredAsync;
        }

        _channel = channel;
    }

    /// <summary>Publishes until the connection is lost.</summary>
    public async Task RunAsync()
    {
        var pause = s_minPause;
        while (true)
        {
            var started = Environment.TickCount64;
            await new Publisher(_outbox, _link, _queue, _channel, _kind).RunAsync().ConfigureAwait(false);
            if (_link.IsLost)
                return;
            if (_channel.CloseReason is { } closed)
            {
                if (!closed.IsOfPublication())
                    return;
                _queue.Interrupt(closed.ReplyText, isTopic: closed.ReplyCode == Constants.AccessRefused);
                pause = Environment.TickCount64 - started > s_maxPause.TotalMilliseconds ? s_minPause : pause * 2 < s_maxPause ? pause * 2 : s_maxPause;
            }

            _queue.ReportNotices(_outbox.Reports);
            try
            {
                await Task.Delay(pause, _link.Ended).ConfigureAwait(false);
                _channel.ChannelShutdownAsync -= OnShutdownAsync; // the connection stays
                await _channel.DisposeAsync().ConfigureAwait(false);
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

    private Task Confirm(IChannel channel, ulong tag, bool multiple, bool isTaken)
    {
        if (channel == _channel) // the numbers of an earlier channel are not valid any more
            _queue.Confirm(tag, multiple, isTaken);
        return Task.CompletedTask;
    }

    private Task OnShutdownAsync(object sender, ShutdownEventArgs shutdown)
    {
        if (shutdown.IsOfPublication())
            _queue.Wake(); // the publishing loop detects it
        else
            _link.Lose(shutdown.ReplyText);
        return Task.CompletedTask;
    }

    private Task OnUnroutedAsync(object sender, BasicReturnEventArgs returned)
    {
        _outbox.Reports.Count(RabbitCounter.Unrouted);
        if (_unrouted.Count < MaxReported && _unrouted.Add(returned.RoutingKey))
            _outbox.Reports.ReportUnrouted(returned.RoutingKey);
        return Task.CompletedTask;
    }

    private Task OnUnansweredAsync(object sender, BasicReturnEventArgs returned)
    {
        if (MessageHeader.TryRead(returned.Body.Span, out var header, out _) == HeaderStatus.Ok && header.Kind == MessageKind.Request)
            _outbox.ReportUnanswered(header.CorrelationId, returned.RoutingKey);
        return Task.CompletedTask;
    }
}
