using System;
using System.Collections.Concurrent;
using System.Collections.Generic;
using System.Threading;
using System.Threading.Tasks;
using RabbitMQ.Client;
using RabbitMQ.Client.Exceptions;

namespace Reloaded.Messaging.Hosting.RabbitMQ;

/// <summary>A connection of the client library with its socket. The host closes the socket when the client cannot close the connection.</summary>
/// <remarks>
/// The client (up to 7.2) waits for running handlers before it closes a connection. If this wait exceeds its time limit, the client does not send
/// a close and continues to send heartbeats. The broker would then keep the prefetched messages for this connection.
/// </remarks>
internal sealed class OwnedConnection
{
    private static readonly TimeSpan s_closeTime = TimeSpan.FromSeconds(1);

    private readonly ConcurrentQueue<ITcpClient> _sockets;

    private OwnedConnection(IConnection connection, ConcurrentQueue<ITcpClient> sockets)
    {
        Connection = connection;
        _sockets = sockets;
    }

    /// <summary>The client's connection.</summary>
    public IConnection Connection { get; }

    /// <summary>Connects to the first endpoint that accepts. Each endpoint has <see cref="RabbitOptions.ConnectTimeout"/>.</summary>
    /// <exception cref="BrokerUnreachableException">Thrown when no endpoint accepts.</exception>
    public static async Task<OwnedConnection> OpenAsync(ConnectionFactory factory, RabbitOptions options, string name, CancellationToken cancellationToken)
    {
        var failures = new List<Exception>();
        foreach (var endpoint in EndpointsOf(factory, options))
        {
            try
            {
                return await OpenAsync(factory, endpoint, options, name, cancellationToken).ConfigureAwait(false);
            }
            catch (Exception e) when (!cancellationToken.IsCancellationRequested)
            {
                failures.Add(e);
            }
        }

        throw failures is [BrokerUnreachableException only] ? only : new BrokerUnreachableException(new AggregateException(failures));
    }

    /// <summary>Closes the connection. After one second, the socket is closed even if the broker has not responded.</summary>
    public async Task CloseAsync()
    {
        var closing = CloseGracefullyAsync();
        await Task.WhenAny(closing, Task.Delay(s_closeTime)).ConfigureAwait(false);
        Abandon(closing, _sockets);
    }

    private static async Task<OwnedConnection> OpenAsync(ConnectionFactory factory, AmqpTcpEndpoint endpoint, RabbitOptions options, string name, CancellationToken cancellationToken)
    {
        var sockets = new ConcurrentQueue<ITcpClient>();
        var settings = factory.CopyWithoutRecovery();
        settings.SocketFactory = family =>
        {
            var socket = factory.SocketFactory(family);
            sockets.Enqueue(socket);
            return socket;
        };
        settings.MaxInboundMessageBodySize = Math.Min(endpoint.MaxInboundMessageBodySize, options.MaxInboundBodySize);
        var limited = new AmqpTcpEndpoint(endpoint.HostName, endpoint.Port, endpoint.Ssl, settings.MaxInboundMessageBodySize) { AddressFamily = endpoint.AddressFamily };

        using var limit = CancellationTokenSource.CreateLinkedTokenSource(cancellationToken);
        limit.CancelAfter(options.ConnectTimeout);
        var opening = settings.CreateConnectionAsync(new DefaultEndpointResolver([limited]), name, limit.Token);
        try
        {
            return new OwnedConnection(await opening.WaitAsync(limit.Token).ConfigureAwait(false), sockets); // the client does not always end when its token is canceled
        }
        catch (Exception e)
        {
            Abandon(opening, sockets);
            if (limit.IsCancellationRequested && !cancellationToken.IsCancellationRequested)
            {
                throw new BrokerUnreachableException(new TimeoutException(
                    $"{endpoint.HostName}:{endpoint.Port} did not complete the connection within {options.ConnectTimeout}. Check that this address is a RabbitMQ server, that TLS is on if its port needs it, and its load.", e));
            }

            throw;
        }
    }

    private static IEnumerable<AmqpTcpEndpoint> EndpointsOf(ConnectionFactory factory, RabbitOptions options)
    {
        if (options.Endpoints.Count == 0)
            return factory.EndpointResolverFactory([factory.Endpoint]).All();
        AmqpTcpEndpoint[] endpoints = [.. options.Endpoints];
        Random.Shared.Shuffle(endpoints);
        return endpoints;
    }

    /// <summary>Closes the sockets of an abandoned operation, and observes its exception.</summary>
    private static void Abandon(Task operation, ConcurrentQueue<ITcpClient> sockets)
    {
        foreach (var socket in sockets)
            socket.Close();
        _ = operation.ContinueWith(static late => late.Exception, CancellationToken.None, TaskContinuationOptions.OnlyOnFaulted, TaskScheduler.Default);
    }

    private async Task CloseGracefullyAsync()
    {
        try
        {
            await Connection.CloseAsync(Constants.ReplySuccess, "Goodbye", s_closeTime, abort: true).ConfigureAwait(false);
        }
        finally
        {
            await Connection.DisposeAsync().ConfigureAwait(false);
        }
    }
}
