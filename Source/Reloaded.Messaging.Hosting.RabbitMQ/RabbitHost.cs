using System;
using System.Collections.Generic;
using System.Threading;
using System.Threading.Tasks;
using RabbitMQ.Client;

namespace Reloaded.Messaging.Hosting.RabbitMQ;

/// <summary>Publishes to topics, subscribes to them, asks and answers, across machines over RabbitMQ.</summary>
/// <remarks>
/// Thread-safe. Register handlers in the callback that <see cref="ConnectAsync"/> takes, and subscribe once it returns. When the connection is
/// lost the host connects again by itself, for as long as it takes, with what it subscribed to; <see cref="LinkChanged"/> says so.
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
        _writer = new MessageWriter(limits.Messages);
        _requests = new RequestTable(limits.MaxUnansweredRequests);
        _requester = new Requester(this);
        Handlers = new HandlerTable<Origin, Incoming>(limits.Messages);
        AtMostOnceQueue = new PublishQueue(limits.MaxPendingBytes, confirms: false);
        AtLeastOnceQueue = new PublishQueue(limits.MaxPendingBytes, confirms: true);
        _expiration = Expiration(options.RequestTimeout);
        _requestQueue = new Subscription(this, ConsumerRole.Requests, Id, DeliveryKind.AtMostOnce, group: null);
        _replyQueue = new Subscription(this, ConsumerRole.Replies, Id, DeliveryKind.AtMostOnce, group: null);
    }

    /// <summary>What no other host is called, now or ever: the option's name, a dot and a random number. Others can send requests to it.</summary>
    public string Id => TopologyNames.HostId;

    /// <summary>How the host behaves.</summary>
    public RabbitOptions Options { get; }

    internal TopologyNames TopologyNames { get; }

    /// <summary>Messages that pass or are lost: events of the kind at most once, requests and their answers.</summary>
    internal PublishQueue AtMostOnceQueue { get; }

    /// <summary>Messages that are kept until the broker has them.</summary>
    internal PublishQueue AtLeastOnceQueue { get; }

    internal CancellationToken Disposed => _disposed.Token;

    /// <summary>Whether the host ends: it subscribes and connects no more.</summary>
    internal bool IsStopping { get; private set; }

    internal bool IsDisposed => _disposed.IsCancellationRequested;

    /// <summary>Connects to a broker.</summary>
    /// <param name="factory">
    /// The client library's settings: where the broker is, credentials, TLS, heartbeat. The host reads them for each connection and does not change
    /// them. It connects again by itself and does not use the library's recovery; it waits between attempts from 100 ms up to
    /// <see cref="ConnectionFactory.NetworkRecoveryInterval"/>.
    /// </param>
    /// <param name="configure">Registers handlers before anything is received.</param>
    /// <param name="options">How to behave.</param>
    /// <param name="cancellationToken">Ends the attempt.</param>
    /// <returns>The host, connected.</returns>
    /// <exception cref="global::RabbitMQ.Client.Exceptions.BrokerUnreachableException">Thrown when no broker could be reached, or the broker refused the user or TLS. The inner exception says why.</exception>
    /// <exception cref="global::RabbitMQ.Client.Exceptions.AlreadyClosedException">Thrown when the broker closed the connection at once, for example because the virtual host does not exist.</exception>
    /// <exception cref="global::RabbitMQ.Client.Exceptions.OperationInterruptedException">Thrown when the user has no right to the virtual host, or to declare exchanges and queues.</exception>
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
    /// Ends every subscription, waits for running handlers, acknowledges what they handled, publishes what is left, disconnects and frees
    /// everything. The first part has <see cref="RabbitOptions.StopTimeout"/>. Every call waits for the end.
    /// </summary>
    /// <remarks>
    /// The broker hands out again what was not handled in time. What the broker has not confirmed by then is lost: await <see cref="FlushAsync"/>
    /// first, where that matters. A flush that still waits fails. Do not await this inside a handler: it waits for that handler.
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
            _ = flushed.ContinueWith(static late => late.Exception, CancellationToken.None, TaskContinuationOptions.OnlyOnFaulted, TaskScheduler.Default); // by the end of this
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

    /// <summary>Receives nothing but replies any more, for which handlers may wait, until the handlers have ended.</summary>
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
