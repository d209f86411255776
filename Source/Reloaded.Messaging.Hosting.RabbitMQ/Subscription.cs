using System;
using System.Threading;
using System.Threading.Tasks;
using RabbitMQ.Client;

namespace Reloaded.Messaging.Hosting.RabbitMQ;

/// <summary>What a host receives. Over every new connection too, until it is disposed.</summary>
/// <remarks>Its messages are handled in the order of their queue, apart from other subscriptions'. Don't await its end inside of a handler of its own messages: it waits for that one.</remarks>
public sealed class Subscription : IAsyncDisposable
{
    private readonly RabbitHost _host;
    private readonly ReconnectDelay _delay;
    private Consumer? _consumer;
    private long _startedAt;

    internal Subscription(RabbitHost host, ConsumerRole role, string topic, DeliveryKind kind, string? group)
    {
        _host = host;
        _delay = new ReconnectDelay(host.LongestWait);
        (Role, Topic, Kind, Group) = (role, topic, kind, group);
        Gaps = role == ConsumerRole.Events && IsOwn ? new GapTracker() : null;
    }

    /// <summary>The topic, or the name that requests are sent to.</summary>
    public string Topic { get; }

    /// <summary>What is promised.</summary>
    public DeliveryKind Kind { get; }

    /// <summary>Who shares its messages, each of which goes to one of them; null for this host alone.</summary>
    public string? Group { get; }

    internal ConsumerRole Role { get; }

    /// <summary>Whether its queue is this host's alone, and goes with its connection.</summary>
    internal bool IsOwn => Group is null;

    /// <summary>What is missing; only where all messages of a topic come here.</summary>
    internal GapTracker? Gaps { get; }

    internal bool IsDisposed { get; private set; }

    /// <summary>
    /// Receives no more, waits for the handlers of what was received, and acknowledges it. After <see cref="RabbitOptions.StopTimeout"/> the
    /// broker hands out the rest again. A group's queue of the kind at least once stays, and goes on collecting.
    /// </summary>
    public async ValueTask DisposeAsync()
    {
        IsDisposed = true;
        _host.Forget(this);
        using var limit = new CancellationTokenSource(_host.Options.StopTimeout);
        await StopAsync(limit.Token).ConfigureAwait(false);
        if (Interlocked.Exchange(ref _consumer, null) is { } consumer)
            await consumer.Channel.DisposeAsync().ConfigureAwait(false);
    }

    /// <summary>The topic, and what is promised, for people.</summary>
    public override string ToString() => Group is null ? $"'{Topic}' ({Kind})" : $"'{Topic}' ({Kind}, group '{Group}')";

    /// <summary>Receives over a connection.</summary>
    internal async Task StartAsync(BrokerConnection link, CancellationToken cancellationToken)
    {
        var options = new CreateChannelOptions(false, false, consumerDispatchConcurrency: 1);
        var channel = await link.Consuming.CreateChannelAsync(options, cancellationToken).ConfigureAwait(false);
        try
        {
            var queue = await TopologyDeclarer.DeclareAsync(channel, _host.TopologyNames, _host.Options, this, cancellationToken).ConfigureAwait(false);
            var consumer = new Consumer(_host, link, channel, this, queue);
            await consumer.StartAsync(cancellationToken).ConfigureAwait(false);
            _consumer = consumer;
            _startedAt = Environment.TickCount64;
            if (IsDisposed)
                await DisposeAsync().ConfigureAwait(false); // while it was made
        }
        catch
        {
            await channel.DisposeAsync().ConfigureAwait(false);
            throw;
        }
    }

    /// <summary>Receives over a connection that is new. A broker that refuses is asked again in the background until the connection is lost.</summary>
    /// <returns>A task that completes after the first attempt.</returns>
    internal async Task StartOrRetryAsync(BrokerConnection link)
    {
        if (!await TryStartAsync(link).ConfigureAwait(false))
            _ = RetryAsync(link);
    }

    /// <summary>Receives no more, and waits for the handlers of what was received.</summary>
    internal Task StopAsync(CancellationToken limit) => _consumer?.StopAsync(limit) ?? Task.CompletedTask;

    /// <summary>Receives again after the broker ended the subscription alone.</summary>
    internal void Restart(BrokerConnection link, IChannel channel, string reason)
    {
        if (IsDisposed || _host.IsStopping)
            return;
        _host.ReportSubscriptionFailed(this, reason);
        _ = channel.DisposeAsync().AsTask().ContinueWith(static late => late.Exception, CancellationToken.None, TaskContinuationOptions.OnlyOnFaulted, TaskScheduler.Default); // it waits for running handlers
        _delay.NoteLost(TimeSpan.FromMilliseconds(Environment.TickCount64 - _startedAt));
        _ = RetryAsync(link);
    }

    private async Task RetryAsync(BrokerConnection link)
    {
        try
        {
            do
            {
                await Task.Delay(_delay.Next(), link.Ended).ConfigureAwait(false);
            }
            while (!await TryStartAsync(link).ConfigureAwait(false));
        }
        catch (OperationCanceledException)
        {
            return; // the next connection starts it
        }
    }

    /// <returns><c>false</c> if the broker refused; otherwise, <c>true</c>: also when nobody needs it over this connection any more.</returns>
    private async Task<bool> TryStartAsync(BrokerConnection link)
    {
        if (link.IsLost || IsDisposed || _host.IsStopping)
            return true;
        try
        {
            await StartAsync(link, link.Ended).ConfigureAwait(false);
            return true;
        }
        catch (Exception) when (link.IsLost || IsDisposed || _host.IsStopping)
        {
            return true;
        }
        catch (Exception e)
        {
            _host.ReportSubscriptionFailed(this, Reason.Of(e));
            return false;
        }
    }
}
