using System;
using System.Threading;
using System.Threading.Tasks;
using RabbitMQ.Client;
using RabbitMQ.Client.Events;

namespace Reloaded.Messaging.Hosting.RabbitMQ;

/// <summary>The resources of a connected host: two connections, and the channels for publishing. All of them are lost together, with the first reason.</summary>
/// <remarks>There are two connections, because a broker that is low on memory stops reading from a publishing connection, but acknowledgements must still reach it.</remarks>
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

    /// <summary>The connection for topology and consumers. An alarm of the broker does not stop it.</summary>
    public IConnection Consuming => _consuming.Connection;

    /// <summary>Completes with the reason when the connection is lost and its queues are closed. Only then may the host open another connection.</summary>
    public Task<string> Lost => _lost.Task;

    public bool IsLost => Volatile.Read(ref _isLost) != 0;

    /// <summary>Canceled when the connection is lost. Otherwise a broker that does not read would block publishing forever.</summary>
    public CancellationToken Ended { get; }

    /// <summary>Connects, and declares the exchanges that all hosts of the scope share.</summary>
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

    /// <summary>Creates the publishing channels and opens the queues of the host.</summary>
    public async Task OpenQueuesAsync(CancellationToken cancellationToken)
    {
        var passing = new PublishingChannel(_host, this, _publishing.Connection, DeliveryKind.AtMostOnce);
        var kept = new PublishingChannel(_host, this, _publishing.Connection, DeliveryKind.AtLeastOnce);
        await passing.OpenAsync(cancellationToken).ConfigureAwait(false);
        await kept.OpenAsync(cancellationToken).ConfigureAwait(false);
        _host.AtMostOnceQueue.Open();
        _host.AtLeastOnceQueue.Open();
        if (IsLost)
            CloseQueues(); // the connection was lost before the queues were open
        _publishers = [passing.RunAsync, kept.RunAsync];
    }

    /// <summary>Makes the broker report whether it is blocked.</summary>
    public Task ProbeAsync(CancellationToken cancellationToken) => BlockedProbe.RunAsync(_publishing.Connection, _host.TopologyNames, cancellationToken);

    /// <summary>Starts to publish the messages in the host's queues.</summary>
    public void Publish() => _published = Task.WhenAll(Array.ConvertAll(_publishers, static publisher => Task.Run(publisher)));

    /// <summary>Marks the connection as lost. Only the first reason counts.</summary>
    public void Lose(string reason)
    {
        if (Interlocked.Exchange(ref _isLost, 1) != 0)
            return;
        CloseQueues();
        _host.Unlink(this);
        _ended.Cancel();
        _lost.SetResult(reason); // last, because the host then opens its queues for another connection
    }

    /// <summary>Closes the two connections. If the broker does not respond within one second, the sockets are closed.</summary>
    public async ValueTask DisposeAsync()
    {
        Lose("The host closed the connection.");
        await _lost.Task.ConfigureAwait(false); // another thread may be closing the queues
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
