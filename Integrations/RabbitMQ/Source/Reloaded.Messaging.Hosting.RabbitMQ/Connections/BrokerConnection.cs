using System;
using System.Threading;
using System.Threading.Tasks;
using RabbitMQ.Client;
using RabbitMQ.Client.Events;

namespace Reloaded.Messaging.Hosting.RabbitMQ;

/// <summary>The resources of a connected host: three connections, and the loops that use them. All of them are lost together, with the first reason.</summary>
/// <remarks>
/// A broker that is low on memory stops reading from a publishing connection, but acknowledgements must still reach it. A broker that is slower than a
/// publisher stops reading from its connection too, but requests must not wait for the events.
/// </remarks>
internal sealed class BrokerConnection : IAsyncDisposable
{
    private readonly TaskCompletionSource<string> _lost = new(TaskCreationOptions.RunContinuationsAsynchronously);
    private readonly CancellationTokenSource _ended = new();
    private readonly Action<BrokerConnection> _onLost;
    private readonly Action<BrokerConnection, string?> _onBlocked;
    private readonly OwnedConnection _publishing;
    private readonly OwnedConnection _requesting;
    private readonly OwnedConnection _consuming;
    private Task _loops = Task.CompletedTask;
    private int _isLost;
    private int _blocked; // the number of connections from which the broker does not read

    private BrokerConnection(Action<BrokerConnection> onLost, Action<BrokerConnection, string?> onBlocked, OwnedConnection[] connections)
    {
        (_onLost, _onBlocked) = (onLost, onBlocked);
        (_consuming, _publishing, _requesting) = (connections[0], connections[1], connections[2]);
        Ended = _ended.Token;
        Scheduled = new DelayChannel(this);
    }

    /// <summary>The connection for topology and consumers. An alarm of the broker does not stop it.</summary>
    public IConnection Consuming => _consuming.Connection;

    /// <summary>The connection for events. A broker that is low on memory or disk stops reading from it.</summary>
    public IConnection Publishing => _publishing.Connection;

    /// <summary>The connection for requests and replies. It is blocked as the connection for events is.</summary>
    public IConnection Requesting => _requesting.Connection;

    /// <summary>The channel for scheduled messages.</summary>
    public DelayChannel Scheduled { get; }

    /// <summary>Completes with the reason when the connection is lost and its queues are closed. Only then may the host open another connection.</summary>
    public Task<string> Lost => _lost.Task;

    public bool IsLost => Volatile.Read(ref _isLost) != 0;

    /// <summary>Canceled when the connection is lost. Otherwise a broker that does not read would block publishing forever.</summary>
    public CancellationToken Ended { get; }

    /// <summary>Connects, and declares the exchanges that all hosts of the scope share.</summary>
    /// <param name="onLost">Called once, on any thread, when the connection is lost, before <see cref="Ended"/> and <see cref="Lost"/> report it.</param>
    /// <param name="onBlocked">Called on any thread, with the reason, when the broker stops accepting messages, and with <c>null</c> when it accepts them again.</param>
    /// <param name="names">The names of the exchanges.</param>
    /// <param name="options">The options of the host.</param>
    /// <param name="factory">The settings of the client library.</param>
    /// <param name="cancellationToken">Ends the attempt.</param>
    public static async Task<BrokerConnection> OpenAsync(
        Action<BrokerConnection> onLost,
        Action<BrokerConnection, string?> onBlocked,
        TopologyNames names,
        RabbitOptions options,
        ConnectionFactory factory,
        CancellationToken cancellationToken)
    {
        string[] purposes = ["consumes", "publishes", "requests"];
        var opening = Array.ConvertAll(purposes, purpose => OwnedConnection.OpenAsync(factory, options, $"{names.HostId} {purpose}", cancellationToken));
        OwnedConnection[] connections;
        try
        {
            connections = await Task.WhenAll(opening).ConfigureAwait(false);
        }
        catch
        {
            await Task.WhenAll(Array.ConvertAll(opening, CloseAsync)).ConfigureAwait(false);
            throw;
        }

        var link = new BrokerConnection(onLost, onBlocked, connections);
        try
        {
            link.Watch();
            await link.DeclareAsync(names, options, cancellationToken).ConfigureAwait(false);
            return link;
        }
        catch
        {
            await link.DisposeAsync().ConfigureAwait(false);
            throw;
        }
    }

    /// <summary>Starts loops that use the connection and end when it is lost. The disposal waits for them.</summary>
    public void Run(params Func<Task>[] loops) => _loops = Task.WhenAll(Array.ConvertAll(loops, static loop => Detached.Run(loop)));

    /// <summary>Marks the connection as lost. Only the first reason counts.</summary>
    public void Lose(string reason)
    {
        if (Interlocked.Exchange(ref _isLost, 1) != 0)
            return;
        _onLost(this);
        _ended.Cancel();
        _lost.SetResult(reason); // last, because the host then opens its queues for another connection
    }

    /// <summary>Closes the connections. If the broker does not respond within one second, the sockets are closed.</summary>
    public async ValueTask DisposeAsync()
    {
        Lose("The host closed the connection.");
        await _lost.Task.ConfigureAwait(false); // another thread may be closing the queues
        await Task.WhenAll(_publishing.CloseAsync(), _requesting.CloseAsync(), _consuming.CloseAsync()).ConfigureAwait(false);
        await _loops.ConfigureAwait(false);
        _ended.Dispose();
    }

    /// <summary>Closes a connection that was opened, if it was.</summary>
    private static async Task CloseAsync(Task<OwnedConnection> opening)
    {
        await ((Task)opening).ConfigureAwait(ConfigureAwaitOptions.SuppressThrowing);
        if (opening.IsCompletedSuccessfully)
            await (await opening.ConfigureAwait(false)).CloseAsync().ConfigureAwait(false);
    }

    private void Watch()
    {
        foreach (var connection in (IConnection[])[Publishing, Requesting, Consuming])
        {
            connection.ConnectionShutdownAsync += OnShutdownAsync;
            if (connection.CloseReason is { } closed)
                Lose(closed.ReplyText);
        }

        foreach (var connection in (IConnection[])[Publishing, Requesting])
        {
            connection.ConnectionBlockedAsync += (_, blocked) =>
            {
                if (Interlocked.Increment(ref _blocked) == 1)
                    _onBlocked(this, blocked.Reason);
                return Task.CompletedTask;
            };
            connection.ConnectionUnblockedAsync += (_, _) =>
            {
                if (Interlocked.Decrement(ref _blocked) == 0)
                    _onBlocked(this, null);
                return Task.CompletedTask;
            };
        }
    }

    private async Task DeclareAsync(TopologyNames names, RabbitOptions options, CancellationToken cancellationToken)
    {
        await using var channel = await Consuming.CreateChannelAsync(cancellationToken: cancellationToken).ConfigureAwait(false);
        (string Name, string Type, bool IsDurable)[] exchanges =
        [
            (names.AtMostOnce, ExchangeType.Topic, false),
            (names.AtLeastOnce, ExchangeType.Topic, true),
            (names.Requests, ExchangeType.Direct, false),
            (names.Replies, ExchangeType.Direct, false),
            (names.Dead, ExchangeType.Direct, true),
        ];
        foreach (var (name, type, isDurable) in exchanges)
        {
            if (options.DeclaresTopology || !isDurable) // an exchange that is not durable is gone after a restart of the broker
                await channel.ExchangeDeclareAsync(name, type, isDurable, autoDelete: false, cancellationToken: cancellationToken).ConfigureAwait(false);
            else
                await TopologyDeclarer.RequireAsync($"The exchange '{name}'", channel.ExchangeDeclarePassiveAsync(name, cancellationToken)).ConfigureAwait(false);
        }
    }

    private Task OnShutdownAsync(object sender, ShutdownEventArgs shutdown)
    {
        Lose(shutdown.ReplyText);
        return Task.CompletedTask;
    }
}

/// <summary>Copies the settings of the caller.</summary>
internal static class ConnectionFactoryExtensions
{
    /// <summary>Copies a factory and turns the recovery of the copy off, because the host reconnects by itself. The caller's factory does not change.</summary>
    public static ConnectionFactory CopyWithoutRecovery(this ConnectionFactory factory) => new()
    {
        AmqpUriSslProtocols = factory.AmqpUriSslProtocols,
        AuthMechanisms = factory.AuthMechanisms,
        AutomaticRecoveryEnabled = false,
        ClientProperties = factory.ClientProperties,
        ClientProvidedName = factory.ClientProvidedName,
        ConsumerDispatchConcurrency = factory.ConsumerDispatchConcurrency,
        ContinuationTimeout = factory.ContinuationTimeout,
        CredentialsProvider = factory.CredentialsProvider,
        EndpointResolverFactory = factory.EndpointResolverFactory,
        HandshakeContinuationTimeout = factory.HandshakeContinuationTimeout,
        HostName = factory.HostName,
        MaxInboundMessageBodySize = factory.MaxInboundMessageBodySize,
        NetworkRecoveryInterval = factory.NetworkRecoveryInterval,
        Password = factory.Password,
        Port = factory.Port,
        RequestedChannelMax = factory.RequestedChannelMax,
        RequestedConnectionTimeout = factory.RequestedConnectionTimeout,
        RequestedFrameMax = factory.RequestedFrameMax,
        RequestedHeartbeat = factory.RequestedHeartbeat,
        SocketFactory = factory.SocketFactory,
        SocketReadTimeout = factory.SocketReadTimeout,
        SocketWriteTimeout = factory.SocketWriteTimeout,
        Ssl = factory.Ssl,
        TopologyRecoveryEnabled = false,
        UserName = factory.UserName,
        VirtualHost = factory.VirtualHost,
    };
}
