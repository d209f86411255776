using System;
using System.Threading;
using System.Threading.Tasks;
using RabbitMQ.Client;
using Reloaded.Messaging.Hosting.RabbitMQ.Links;
using Reloaded.Messaging.Hosting.RabbitMQ.Receiving;

namespace Reloaded.Messaging.Hosting.RabbitMQ;

/// <summary>What a host receives. Over every new connection too, until it is disposed.</summary>
/// <remarks>Its messages are handled in the order of their queue, apart from other subscriptions'. Don't await its end inside of a handler of its own messages: it waits for that one.</remarks>
public sealed class Subscription : IAsyncDisposable
{
    private readonly RabbitHost _host;
    private IChannel? _channel;

    internal Subscription(RabbitHost host, ConsumerRole role, string topic, DeliveryKind kind, string? group)
    {
        _host = host;
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

    /// <summary>Receives no more. What is being handled is handled to its end. A group's queue of the kind at least once stays, and goes on collecting.</summary>
    public async ValueTask DisposeAsync()
    {
        IsDisposed = true;
        _host.Forget(this);
        if (Interlocked.Exchange(ref _channel, null) is { } channel)
            await channel.DisposeAsync().ConfigureAwait(false);
    }

    /// <summary>The topic, and what is promised, for people.</summary>
    public override string ToString() => Group is null ? $"'{Topic}' ({Kind})" : $"'{Topic}' ({Kind}, group '{Group}')";

    /// <summary>Receives over a connection.</summary>
    internal async Task StartAsync(Link link, CancellationToken cancellationToken)
    {
        var options = new CreateChannelOptions(false, false, consumerDispatchConcurrency: 1);
        var channel = await link.Consuming.CreateChannelAsync(options, cancellationToken).ConfigureAwait(false);
        try
        {
            await channel.BasicQosAsync(0, (ushort)_host.Options.Prefetch, global: false, cancellationToken).ConfigureAwait(false);
            var queue = await Queues.DeclareAsync(channel, _host.Names, _host.Options, this, cancellationToken).ConfigureAwait(false);
            await channel.BasicConsumeAsync(
                queue, autoAck: false, consumerTag: "", noLocal: false, exclusive: false, arguments: null, new Consumer(_host, link, channel, this), cancellationToken)
                .ConfigureAwait(false);
            _channel = channel;
            if (IsDisposed)
                await DisposeAsync().ConfigureAwait(false); // while it was made
        }
        catch
        {
            await channel.DisposeAsync().ConfigureAwait(false);
            throw;
        }
    }
}
