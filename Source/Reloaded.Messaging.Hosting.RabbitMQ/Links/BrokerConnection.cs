using System;
using System.Threading;
using System.Threading.Tasks;
using RabbitMQ.Client;
using RabbitMQ.Client.Events;

namespace Reloaded.Messaging.Hosting.RabbitMQ;

/// <summary>The resources of a connected host: two connections, and the loops that use them. All of them are lost together, with the first reason.</summary>
/// <remarks>There are two connections, because a broker that is low on memory stops reading from a publishing connection, but acknowledgements must still reach it.</remarks>
internal sealed class BrokerConnection : IAsyncDisposable
{
    private readonly TaskCompletionSource<string> _lost = new(TaskCreationOptions.RunContinuationsAsynchronously);
    private readonly CancellationTokenSource _ended = new();
    private readonly ILinkOwner _owner;
    private readonly OwnedConnection _publishing;
    private readonly OwnedConnection _consuming;
    private Task _loops = Task.CompletedTask;
    private int _isLost;

    private BrokerConnection(ILinkOwner owner, OwnedConnection publishing, OwnedConnection consuming)
    {
        _owner = owner;
        _publishing = publishing;
        _consuming = consuming;
        Ended = _ended.Token;
    }

    /// <summary>The connection for topology and consumers. An alarm of the broker does not stop it.</summary>
    public IConnection Consuming => _consuming.Connection;

    /// <summary>The connection for messages. A broker that is low on memory or disk stops reading from it.</summary>
    public IConnection Publishing => _publishing.Connection;

    /// <summary>Completes with the reason when the connection is lost and its queues are closed. Only then may the host open another connection.</summary>
    public Task<string> Lost => _lost.Task;

    public bool IsLost => Volatile.Read(ref _isLost) != 0;

    /// <summary>Canceled when the connection is lost. Otherwise a broker that does not read would block publishing forever.</summary>
    public CancellationToken Ended { get; }

    /// <summary>Connects, and declares the exchanges that all hosts of the scope share.</summary>
    public static async Task<BrokerConnection> OpenAsync(
        ILinkOwner owner,
        TopologyNames names,
        RabbitOptions options,
        ConnectionFactory factory,
        CancellationToken cancellationToken)
    {
        var consuming = await OwnedConnection.OpenAsync(factory, options, $"{names.HostId} consumes", cancellationToken).ConfigureAwait(false);
        OwnedConnection publishing;
        try
        {
            publishing = await OwnedConnection.OpenAsync(factory, options, $"{names.HostId} publishes", cancellationToken).ConfigureAwait(false);
        }
        catch
        {
            await consuming.CloseAsync().ConfigureAwait(false);
            throw;
        }

        var link = new BrokerConnection(owner, publishing, consuming);
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

    /// <summary>Starts loops that use the connection and end when it is lost. The disposal waits for them.</summary>
    public void Run(params Func<Task>[] loops) => _loops = Task.WhenAll(Array.ConvertAll(loops, static loop => Task.Run(loop)));

    /// <summary>Marks the connection as lost. Only the first reason counts.</summary>
    public void Lose(string reason)
    {
        if (Interlocked.Exchange(ref _isLost, 1) != 0)
            return;
        _owner.OnLost(this);
        _ended.Cancel();
        _lost.SetResult(reason); // last, because the owner then opens its queues for another connection
    }

    /// <summary>Closes the two connections. If the broker does not respond within one second, the sockets are closed.</summary>
    public async ValueTask DisposeAsync()
    {
        Lose("The host closed the connection.");
        await _lost.Task.ConfigureAwait(false); // another thread may be closing the queues
        await Task.WhenAll(_publishing.CloseAsync(), _consuming.CloseAsync()).ConfigureAwait(false);
        await _loops.ConfigureAwait(false);
        _ended.Dispose();
    }

    private void Watch()
    {
        foreach (var connection in (IConnection[])[Publishing, Consuming])
        {
            connection.ConnectionShutdownAsync += OnShutdownAsync;
            if (connection.CloseReason is { } closed)
                Lose(closed.ReplyText);
        }

        Publishing.ConnectionBlockedAsync += (_, blocked) =>
        {
            _owner.OnBlocked(this, blocked.Reason);
            return Task.CompletedTask;
        };
        Publishing.ConnectionUnblockedAsync += (_, _) =>
        {
            _owner.OnBlocked(this, null);
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

/// <summary>The user of a broker connection. Called on any thread.</summary>
internal interface ILinkOwner
{
    /// <summary>Called once, when the connection is lost, before anything else learns of it.</summary>
    void OnLost(BrokerConnection link);

    /// <summary>Called when the broker stops accepting messages, or accepts them again.</summary>
    /// <param name="link">The connection.</param>
    /// <param name="reason">The reason; <c>null</c> if the broker accepts messages again.</param>
    void OnBlocked(BrokerConnection link, string? reason);
}
