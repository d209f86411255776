using System;
using System.Threading;
using System.Threading.Tasks;
using RabbitMQ.Client;
using RabbitMQ.Client.Events;

namespace Reloaded.Messaging.Hosting.RabbitMQ;

/// <summary>What a host has while it is connected: two connections, and the channels it publishes over. Lost as a whole, with the first reason.</summary>
/// <remarks>Two, because a broker that runs out of memory stops reading from who publishes: acknowledgements have to pass all the same.</remarks>
internal sealed class BrokerConnection : IAsyncDisposable
{
    private readonly TaskCompletionSource<string> _lost = new(TaskCreationOptions.RunContinuationsAsynchronously);
    private readonly CancellationTokenSource _ended = new();
    private readonly RabbitHost _host;
    private readonly OwnedConnection _publishing;
    private readonly OwnedConnection _consuming;
    private Func<Task>[] _publishers = [];
    private Task _published = Task.CompletedTask;
    private int _isLost;

    private BrokerConnection(RabbitHost host, OwnedConnection publishing, OwnedConnection consuming)
    {
        _host = host;
        _publishing = publishing;
        _consuming = consuming;
        Ended = _ended.Token;
    }

    /// <summary>For topology and consumers: an alarm does not stop it.</summary>
    public IConnection Consuming => _consuming.Connection;

    /// <summary>Why it is lost, once it is and its queues are closed: only then may there be another.</summary>
    public Task<string> Lost => _lost.Task;

    public bool IsLost => Volatile.Read(ref _isLost) != 0;

    /// <summary>Canceled once it is lost: a broker that reads nothing would otherwise hold whoever publishes to it.</summary>
    public CancellationToken Ended { get; }

    /// <summary>Connects, and declares what all hosts of the scope share.</summary>
    public static async Task<BrokerConnection> OpenAsync(RabbitHost host, ConnectionFactory factory, CancellationToken cancellationToken)
    {
        var names = host.TopologyNames;
        var consuming = await OwnedConnection.OpenAsync(factory, host.Options, $"{names.HostId} consumes", cancellationToken).ConfigureAwait(false);
        OwnedConnection publishing;
        try
        {
            publishing = await OwnedConnection.OpenAsync(factory, host.Options, $"{names.HostId} publishes", cancellationToken).ConfigureAwait(false);
        }
        catch
        {
            await consuming.CloseAsync().ConfigureAwait(false);
            throw;
        }

        var link = new BrokerConnection(host, publishing, consuming);
        try
        {
            link.Watch();
            await link.DeclareAsync(names, cancellationToken).ConfigureAwait(false);
            return link;
        }
        catch
        {
            await link.DisposeAsync().ConfigureAwait(false);
            throw;
        }
    }

    /// <summary>Makes its channels and opens the host's queues.</summary>
    public async Task OpenQueuesAsync(CancellationToken cancellationToken)
    {
        var passing = new PublishingChannel(_host, this, _publishing.Connection, DeliveryKind.AtMostOnce);
        var kept = new PublishingChannel(_host, this, _publishing.Connection, DeliveryKind.AtLeastOnce);
        await passing.OpenAsync(cancellationToken).ConfigureAwait(false);
        await kept.OpenAsync(cancellationToken).ConfigureAwait(false);
        _host.AtMostOnceQueue.Open();
        _host.AtLeastOnceQueue.Open();
        if (IsLost)
            CloseQueues(); // it was lost before they were open
        _publishers = [passing.RunAsync, kept.RunAsync];
    }

    /// <summary>Has the broker say whether it is blocked.</summary>
    public Task ProbeAsync(CancellationToken cancellationToken) => BlockedProbe.RunAsync(_publishing.Connection, _host.TopologyNames, cancellationToken);

    /// <summary>Publishes from now on what the host has in its queues.</summary>
    public void Publish() => _published = Task.WhenAll(Array.ConvertAll(_publishers, static publisher => Task.Run(publisher)));

    /// <summary>Ends it. The first reason counts.</summary>
    public void Lose(string reason)
    {
        if (Interlocked.Exchange(ref _isLost, 1) != 0)
            return;
        CloseQueues();
        _host.Unlink(this);
        _ended.Cancel();
        _lost.SetResult(reason); // last: behind it the host opens its queues for another
    }

    /// <summary>Closes both connections. A broker that does not agree within a second loses the sockets.</summary>
    public async ValueTask DisposeAsync()
    {
        Lose("The host closed it.");
        await _lost.Task.ConfigureAwait(false); // another thread may be about to
        await Task.WhenAll(_publishing.CloseAsync(), _consuming.CloseAsync()).ConfigureAwait(false);
        await _published.ConfigureAwait(false);
        _ended.Dispose();
    }

    private void CloseQueues()
    {
        _host.AtMostOnceQueue.Close();
        _host.AtLeastOnceQueue.Close();
    }

    private void Watch()
    {
        foreach (var connection in (IConnection[])[_publishing.Connection, Consuming])
        {
            connection.ConnectionShutdownAsync += OnShutdownAsync;
            if (connection.CloseReason is { } closed)
                Lose(closed.ReplyText);
        }

        _publishing.Connection.ConnectionBlockedAsync += (_, blocked) =>
        {
            _host.SetBlocked(this, blocked.Reason);
            return Task.CompletedTask;
        };
        _publishing.Connection.ConnectionUnblockedAsync += (_, _) =>
        {
            _host.SetBlocked(this, null);
            return Task.CompletedTask;
        };
    }

    private async Task DeclareAsync(TopologyNames names, CancellationToken cancellationToken)
    {
        await using var channel = await Consuming.CreateChannelAsync(cancellationToken: cancellationToken).ConfigureAwait(false);
        await channel.ExchangeDeclareAsync(names.AtMostOnce, ExchangeType.Topic, durable: false, autoDelete: false, cancellationToken: cancellationToken).ConfigureAwait(false);
        await channel.ExchangeDeclareAsync(names.AtLeastOnce, ExchangeType.Topic, durable: true, autoDelete: false, cancellationToken: cancellationToken).ConfigureAwait(false);
        await channel.ExchangeDeclareAsync(names.Requests, ExchangeType.Direct, durable: false, autoDelete: false, cancellationToken: cancellationToken).ConfigureAwait(false);
        await channel.ExchangeDeclareAsync(names.Replies, ExchangeType.Direct, durable: false, autoDelete: false, cancellationToken: cancellationToken).ConfigureAwait(false);
        await channel.ExchangeDeclareAsync(names.Dead, ExchangeType.Direct, durable: true, autoDelete: false, cancellationToken: cancellationToken).ConfigureAwait(false);
    }

    private Task OnShutdownAsync(object sender, ShutdownEventArgs shutdown)
    {
        Lose(shutdown.ReplyText);
        return Task.CompletedTask;
    }
}
