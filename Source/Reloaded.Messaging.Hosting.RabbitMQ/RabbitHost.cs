using System;
using System.Collections.Generic;
using System.Threading;
using System.Threading.Tasks;
using RabbitMQ.Client;

namespace Reloaded.Messaging.Hosting.RabbitMQ;

/// <summary>Publishes to topics, subscribes to topics, and sends and handles requests, across machines over RabbitMQ.</summary>
/// <remarks>
/// Thread-safe. Register handlers in the callback of <see cref="ConnectAsync"/>, and subscribe after it has returned. If the connection is lost, the
/// host reconnects by itself, without a time limit, and restores its subscriptions. <see cref="LinkChanged"/> reports each change.
/// </remarks>
public sealed partial class RabbitHost : IAsyncDisposable
{
    private static readonly TimeSpan s_tick = TimeSpan.FromMilliseconds(50);
    private static readonly TimeSpan s_flushTime = TimeSpan.FromSeconds(1);

    private readonly ConnectionFactory _factory;
    private readonly CancellationTokenSource _disposed = new();
    private readonly PeriodicTimer _timer = new(s_tick);
    private readonly MessageWriter _writer;
    private readonly RequestTable _requests;
    private readonly object _gate = new();
    private readonly Subscription _requestQueue;
    private readonly Subscription _replyQueue;
    private Task _keeping = Task.CompletedTask;
    private Task? _disposing;

    private RabbitHost(ConnectionFactory factory, RabbitOptions options)
    {
        _factory = factory;
        Options = options;
        TopologyNames = new TopologyNames(options.Scope, options.Name);
        var limits = options.Limits;
        _writer = new MessageWriter(options.MessageLimits);
        _requests = new RequestTable(limits.MaxUnansweredRequests);
        _requester = new Requester(this);
        Handlers = new HandlerTable<Origin, Incoming>(options.MessageLimits);
        AtMostOnceQueue = new PublishQueue(limits.MaxPendingBytes, confirms: false);
        AtLeastOnceQueue = new PublishQueue(limits.MaxPendingBytes, confirms: true);
        _expiration = Expiration(options.RequestTimeout);
        _requestQueue = new Subscription(this, ConsumerRole.Requests, Id, DeliveryKind.AtMostOnce, group: null);
        _replyQueue = new Subscription(this, ConsumerRole.Replies, Id, DeliveryKind.AtMostOnce, group: null);
    }

    /// <summary>The unique id of the host: the name of the options, a dot and a random number. Other hosts can send requests to it.</summary>
    public string Id => TopologyNames.HostId;

    /// <summary>The options of the host.</summary>
    public RabbitOptions Options { get; }

    internal TopologyNames TopologyNames { get; }

    /// <summary>The queue for messages that may be lost: at-most-once events, requests and replies.</summary>
    internal PublishQueue AtMostOnceQueue { get; }

    /// <summary>The queue for messages that are kept until the broker has confirmed them.</summary>
    internal PublishQueue AtLeastOnceQueue { get; }

    internal CancellationToken Disposed => _disposed.Token;

    /// <summary>Whether the host is ending. It then does not subscribe or connect any more.</summary>
    internal bool IsStopping { get; private set; }

    internal bool IsDisposed => _disposed.IsCancellationRequested;

    /// <summary>Connects to a broker.</summary>
    /// <param name="factory">
    /// The settings of the client library: address, credentials, TLS, heartbeat. The host reads them for each connection and does not change
    /// them. It reconnects by itself and does not use the recovery of the library. The delay between attempts increases from 100 ms to
    /// <see cref="ConnectionFactory.NetworkRecoveryInterval"/>.
    /// </param>
    /// <param name="configure">Registers handlers before the first message is received.</param>
    /// <param name="options">The options of the host.</param>
    /// <param name="cancellationToken">Ends the attempt.</param>
    /// <returns>The host, connected.</returns>
    /// <exception cref="global::RabbitMQ.Client.Exceptions.BrokerUnreachableException">Thrown when no broker could be reached, or the broker refused the user or TLS. The inner exception has the reason.</exception>
    /// <exception cref="global::RabbitMQ.Client.Exceptions.AlreadyClosedException">Thrown when the broker closed the connection immediately, for example because the virtual host does not exist.</exception>
    /// <exception cref="global::RabbitMQ.Client.Exceptions.OperationInterruptedException">Thrown when the user has no permission for the virtual host, or to declare exchanges and queues.</exception>
    /// <exception cref="OperationCanceledException">Thrown when the token ended the attempt.</exception>
    public static async Task<RabbitHost> ConnectAsync(
        ConnectionFactory factory,
        Action<RabbitHost>? configure = null,
        RabbitOptions? options = null,
        CancellationToken cancellationToken = default)
    {
        ArgumentNullException.ThrowIfNull(factory);
        var host = new RabbitHost(factory, options ?? new RabbitOptions());
        try
        {
            configure?.Invoke(host);
            var link = await host.OpenLinkAsync(cancellationToken).ConfigureAwait(false);
            host._keeping = host.KeepAsync(link);
            _ = host.TickAsync();
            return host;
        }
        catch
        {
            await host.DisposeAsync().ConfigureAwait(false);
            throw;
        }
    }

    /// <summary>
    /// Ends every subscription, waits for running handlers, acknowledges the handled messages, publishes the waiting messages, disconnects and frees
    /// all resources. Handlers have <see cref="RabbitOptions.StopTimeout"/> to end. Every call waits for the end.
    /// </summary>
    /// <remarks>
    /// The broker delivers messages again that were not handled in time. Messages that the broker has not confirmed are lost. To avoid this, await
    /// <see cref="FlushAsync"/> first. A flush that still waits fails. Do not await this method in a handler, because it waits for that handler.
    /// </remarks>
    public ValueTask DisposeAsync()
    {
        lock (_gate)
            return new ValueTask(_disposing ??= Task.Run(FreeAsync));
    }

    private async Task FreeAsync()
    {
        IsStopping = true;
        var stopsAt = Environment.TickCount64 + (long)Options.StopTimeout.TotalMilliseconds;
        await StopReceivingAsync().ConfigureAwait(false);
        if (State == LinkState.Connected)
        {
            var flushed = FlushAsync();
            var left = TimeSpan.FromMilliseconds(stopsAt - Environment.TickCount64);
            await flushed.WaitAsync(left > s_flushTime ? left : s_flushTime).ConfigureAwait(ConfigureAwaitOptions.SuppressThrowing);
            _ = flushed.ContinueWith(static late => late.Exception, CancellationToken.None, TaskContinuationOptions.OnlyOnFaulted, TaskScheduler.Default); // fails at the latest when the queues are disposed below
        }

        AtMostOnceQueue.Seal();
        AtLeastOnceQueue.Seal();
        await _disposed.CancelAsync().ConfigureAwait(false);
        _current?.Lose("The host was disposed.");
        await _keeping.ConfigureAwait(false);
        _requests.Close();
        AtMostOnceQueue.Dispose();
        AtLeastOnceQueue.Dispose();
        _timer.Dispose();
    }

    /// <summary>Stops receiving everything except replies, for which handlers may wait, until the handlers have ended.</summary>
    private async Task StopReceivingAsync()
    {
        using var limit = new CancellationTokenSource(Options.StopTimeout);
        List<Task> stopping = [_requestQueue.StopAsync(limit.Token)];
        lock (_subscriptions)
        {
            foreach (var subscription in _subscriptions)
                stopping.Add(subscription.StopAsync(limit.Token));
        }

        await Task.WhenAll(stopping).ConfigureAwait(false);
    }

    private async Task TickAsync()
    {
        while (await _timer.WaitForNextTickAsync().ConfigureAwait(false))
            _requests.EndOverdue(Environment.TickCount64, _requestCounts);
    }
}
