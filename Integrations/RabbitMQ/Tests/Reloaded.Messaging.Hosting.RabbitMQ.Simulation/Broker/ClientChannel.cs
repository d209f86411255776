using System;
using System.Collections.Generic;
using System.Linq;
using System.Text;
using System.Threading;
using System.Threading.Tasks;
using RabbitMQ.Client;
using RabbitMQ.Client.Events;
using RabbitMQ.Client.Exceptions;

namespace Reloaded.Messaging.Simulation;

/// <summary>A channel of a connection to the broker, with the members of <see cref="IChannel"/> that the library calls.</summary>
/// <remarks>A consumer is called for one delivery after another, as by the client library.</remarks>
internal sealed class ClientChannel
{
    /// <summary>The number of messages that wait for a majority from which on the broker reads only some messages more.</summary>
    private const int PendingLimit = 32;

    /// <summary>The number of these messages. After them, the broker reads nothing more from the connection.</summary>
    private const int ReadLimit = 200;

    /// <summary>The time after which a channel gives up its first publication to a queue.</summary>
    private const long RegistrationTime = 65 * TimeSpan.TicksPerSecond;

    private readonly ClientConnection _connection;
    private readonly bool _confirms;
    private readonly bool _tracks;
    private readonly Dictionary<string, IAsyncBasicConsumer> _callbacks = [];
    private readonly Queue<Func<Task>> _calls = new();
    private readonly List<Action<ShutdownEventArgs>> _waits = [];
    private readonly Dictionary<ulong, TaskCompletionSource> _tracked = [];
    private ulong _published; // at the client
    private bool _isCalling;

    // The state at the broker.
    private readonly Dictionary<string, (BrokerQueue Queue, BrokerConsumer Consumer)> _consumers = [];
    private readonly SortedDictionary<ulong, (BrokerQueue Queue, BrokerConsumer? Consumer, BrokerMessage Message)> _unsettled = [];
    private ulong _delivered;
    private ulong _received;
    private int _prefetch;
    private bool _isReleased;
    private readonly HashSet<BrokerQueue> _registered = []; // the queues to which the channel has published
    private readonly Queue<Action> _waiting = new(); // for the majority of a queue
    private bool _isStuck;
    private int _pending;
    private int _readSince;

    public ClientChannel(ClientConnection connection, CreateChannelOptions? options)
    {
        _connection = connection;
        _confirms = options?.PublisherConfirmationsEnabled == true;
        _tracks = _confirms && options!.PublisherConfirmationTrackingEnabled;
        Facade = InterfaceFacade.Of<IChannel>(this);
    }

    public event AsyncEventHandler<ShutdownEventArgs>? ChannelShutdownAsync;

    public event AsyncEventHandler<BasicAckEventArgs>? BasicAcksAsync;

    public event AsyncEventHandler<BasicNackEventArgs>? BasicNacksAsync;

    public event AsyncEventHandler<BasicReturnEventArgs>? BasicReturnAsync;

    public IChannel Facade { get; }

    public ShutdownEventArgs? CloseReason { get; private set; }

    public bool IsOpen => CloseReason is null;

    public bool IsClosed => !IsOpen;

    public Task ExchangeDeclareAsync(string exchange, string type, bool durable, bool autoDelete, IDictionary<string, object?>? arguments, bool passive, bool noWait, CancellationToken cancellationToken) =>
        CallAsync(() => Broker.Declare(exchange, type, arguments), cancellationToken);

    public Task ExchangeBindAsync(string destination, string source, string routingKey, IDictionary<string, object?>? arguments, bool noWait, CancellationToken cancellationToken) =>
        CallAsync(() => Broker.Bind(destination, isQueue: false, source, routingKey, arguments), cancellationToken);

    public Task<QueueDeclareOk> QueueDeclareAsync(string queue, bool durable, bool exclusive, bool autoDelete, IDictionary<string, object?>? arguments, bool passive, bool noWait, CancellationToken cancellationToken) =>
        CallAsync(() => Describe(Broker.Declare(queue, exclusive ? _connection : null, durable, autoDelete, arguments)), cancellationToken);

    public Task<QueueDeclareOk> QueueDeclarePassiveAsync(string queue, CancellationToken cancellationToken) =>
        CallAsync(() => Describe(Broker.FindQueue(queue) ?? throw new ClosedByBrokerException(404, $"NOT_FOUND - no queue '{queue}'")), cancellationToken);

    public Task QueueBindAsync(string queue, string exchange, string routingKey, IDictionary<string, object?>? arguments, bool noWait, CancellationToken cancellationToken) =>
        CallAsync(() => Broker.Bind(queue, isQueue: true, exchange, routingKey, arguments), cancellationToken);

    public Task BasicQosAsync(uint prefetchSize, ushort prefetchCount, bool global, CancellationToken cancellationToken) =>
        CallAsync(() => _prefetch = prefetchCount, cancellationToken);

    public Task<string> BasicConsumeAsync(string queue, bool autoAck, string consumerTag, bool noLocal, bool exclusive, IDictionary<string, object?>? arguments, IAsyncBasicConsumer consumer, CancellationToken cancellationToken)
    {
        var tag = consumerTag.Length > 0 ? consumerTag : $"tag {World.Random.NextUInt64()}";
        _callbacks.Add(tag, consumer);
        return CallAsync(
            () =>
            {
                var from = Broker.FindQueue(queue) ?? throw new ClosedByBrokerException(404, $"NOT_FOUND - no queue '{queue}'");
                var added = new BrokerConsumer(this, tag, autoAck ? 0 : _prefetch);
                _consumers.Add(tag, (from, added));
                World.Post(null, () => // after the answer
                {
                    if (_consumers.ContainsKey(tag))
                        from.AddConsumer(added);
                });
                return tag;
            },
            cancellationToken);
    }

    public Task BasicCancelAsync(string consumerTag, bool noWait, CancellationToken cancellationToken) => CallAsync(
        () =>
        {
            if (_consumers.Remove(consumerTag, out var consumer))
            {
                consumer.Queue.RemoveConsumer(consumer.Consumer);
                consumer.Queue.Deliver();
            }

            _connection.Down(() => Dispatch(() => _callbacks[consumerTag].HandleBasicCancelOkAsync(consumerTag, CancellationToken.None)));
        },
        cancellationToken);

    public ValueTask BasicAckAsync(ulong deliveryTag, bool multiple, CancellationToken cancellationToken) =>
        Send(() => Settle(deliveryTag, static entry => entry.Queue.Settle(entry.Consumer)));

    public ValueTask BasicRejectAsync(ulong deliveryTag, bool requeue, CancellationToken cancellationToken) =>
        Send(() => Settle(deliveryTag, entry =>
        {
            if (requeue)
                entry.Queue.Return(entry.Message, entry.Consumer);
            else
                entry.Queue.Reject(entry.Message, entry.Consumer);
        }));

    public async ValueTask BasicPublishAsync<TProperties>(string exchange, string routingKey, bool mandatory, TProperties basicProperties, ReadOnlyMemory<byte> body, CancellationToken cancellationToken)
        where TProperties : IReadOnlyBasicProperties, IAmqpHeader
    {
        var message = new BrokerMessage(exchange, routingKey, OverTheWire(basicProperties), body.ToArray());
        var number = ++_published;
        var confirmed = new TaskCompletionSource(TaskCreationOptions.RunContinuationsAsynchronously);
        if (_tracks)
            _tracked.Add(number, confirmed);
        await Send(() => Publish(message, mandatory)).ConfigureAwait(false);
        if (_tracks)
            await confirmed.Task.WaitAsync(cancellationToken).ConfigureAwait(false);
    }

    public async Task CloseAsync(ushort replyCode, string replyText, bool abort, CancellationToken cancellationToken)
    {
        if (IsOpen)
            await CallAsync(Release, cancellationToken).ConfigureAwait(false);
        End(new ShutdownEventArgs(ShutdownInitiator.Application, replyCode, replyText));
    }

    public async ValueTask DisposeAsync()
    {
        try
        {
            await CloseAsync(200, "Goodbye", abort: true, CancellationToken.None).ConfigureAwait(false);
        }
        catch (Exception e) when (e is AlreadyClosedException or OperationInterruptedException)
        {
            World.Note($"dispose of a channel: {e.Message}");
        }
    }

    /// <summary>Runs code at the broker. Its answer comes back to the client.</summary>
    public Task<T> CallAsync<T>(Func<T> atBroker, CancellationToken cancellationToken)
    {
        ThrowIfClosed();
        var answered = new TaskCompletionSource<T>(TaskCreationOptions.RunContinuationsAsynchronously);
        _waits.Add(reason => answered.TrySetException(new OperationInterruptedException(reason)));
        AtBroker(() =>
        {
            var answer = atBroker();
            _connection.Down(() => answered.TrySetResult(answer));
        });
        return answered.Task.WaitAsync(cancellationToken);
    }

    /// <summary>Sends a message of a queue to the client.</summary>
    public void Deliver(BrokerQueue queue, BrokerConsumer consumer, BrokerMessage message)
    {
        var tag = ++_delivered;
        World.Note($"broker: delivers message {message.Position} of {queue.Name} to {_connection.Process.Name} as {tag}");
        if (consumer.Prefetch > 0)
            _unsettled.Add(tag, (queue, consumer, message));
        else
            queue.Settle(consumer);
        var properties = message.Properties;
        if (message.Returns > 0)
            properties = new BasicProperties(properties) { Headers = new Dictionary<string, object?>(properties.Headers ?? new Dictionary<string, object?>()) { ["x-delivery-count"] = (long)message.Returns } };
        _connection.Down(() => Dispatch(() => _callbacks[consumer.Tag].HandleBasicDeliverAsync(consumer.Tag, tag, message.Returns > 0, message.Exchange, message.Key, properties, message.Body, CancellationToken.None)));
    }

    /// <summary>Tells the client that its queue was deleted.</summary>
    public void CancelByBroker(BrokerConsumer consumer)
    {
        _consumers.Remove(consumer.Tag);
        if (!_isReleased)
            _connection.Down(() => Dispatch(() => _callbacks[consumer.Tag].HandleBasicCancelAsync(consumer.Tag, CancellationToken.None)));
    }

    /// <summary>Closes the channel, as the broker does after an error.</summary>
    public void CloseByBroker(ClosedByBrokerException error)
    {
        if (_isReleased)
            return;
        World.Note($"broker: closes a channel of {_connection.Process.Name}: {error.Message}");
        Release();
        _connection.Down(() => End(new ShutdownEventArgs(ShutdownInitiator.Peer, error.Code, error.Message, 0, 0)));
    }

    /// <summary>Whether the channel has messages that are not settled.</summary>
    public bool HasUnsettled => _unsettled.Count > 0;

    /// <summary>The broker forgets the channel, and returns its messages.</summary>
    public void Release()
    {
        if (_isReleased)
            return;
        _isReleased = true;
        // All of its messages return before another consumer receives, so that they keep their order.
        var queues = new HashSet<BrokerQueue>();
        foreach (var (queue, consumer) in _consumers.Values)
        {
            queue.RemoveConsumer(consumer);
            queues.Add(queue);
        }

        foreach (var (queue, consumer, message) in _unsettled.Values)
        {
            queue.Return(message, consumer);
            queues.Add(queue);
        }

        foreach (var queue in queues)
            queue.Deliver();
        _consumers.Clear();
        _unsettled.Clear();
    }

    /// <summary>The client learns of the end of the channel.</summary>
    public void End(ShutdownEventArgs reason)
    {
        if (!IsOpen)
            return;
        CloseReason = reason;
        foreach (var wait in _waits)
            wait(reason);
        foreach (var tracked in _tracked.Values)
            tracked.TrySetException(new AlreadyClosedException(reason));
        ChannelShutdownAsync?.Invoke(Facade, reason);
        foreach (var consumer in _callbacks.Values)
            Dispatch(() => consumer.HandleChannelShutdownAsync(Facade, reason));
    }

    private static QueueDeclareOk Describe(BrokerQueue queue) => new(queue.Name, (uint)queue.ReadyCount, (uint)queue.ConsumerCount);

    /// <summary>Copies properties, with texts in headers as bytes.</summary>
    private static BasicProperties OverTheWire(IReadOnlyBasicProperties properties) => new(properties)
    {
        Headers = properties.Headers?.ToDictionary(static pair => pair.Key, static pair => pair.Value is string text ? Encoding.UTF8.GetBytes(text) : pair.Value),
    };

    private Task<bool> CallAsync(Action atBroker, CancellationToken cancellationToken) => CallAsync(
        () =>
        {
            atBroker();
            return true;
        },
        cancellationToken);

    private ValueTask Send(Action atBroker)
    {
        ThrowIfClosed();
        AtBroker(atBroker);
        return default;
    }

    private void AtBroker(Action run) => _connection.Up(() =>
    {
        if (_isStuck)
            _waiting.Enqueue(run);
        else
            Execute(run);
    });

    private void Execute(Action run)
    {
        if (_isReleased)
            return;
        try
        {
            run();
        }
        catch (ClosedByBrokerException e)
        {
            CloseByBroker(e);
        }
    }

    private void ThrowIfClosed()
    {
        _connection.ThrowIfClosed();
        if (!IsOpen)
            throw new AlreadyClosedException(CloseReason!);
    }

    private void Settle(ulong tag, Action<(BrokerQueue Queue, BrokerConsumer? Consumer, BrokerMessage Message)> settle)
    {
        if (!_unsettled.Remove(tag, out var entry))
            throw new ClosedByBrokerException(406, $"PRECONDITION_FAILED - unknown delivery tag {tag}");
        World.Note($"broker: message {entry.Message.Position} of {entry.Queue.Name} is settled");
        settle(entry);
        entry.Queue.Deliver();
    }

    private void Publish(BrokerMessage message, bool mandatory)
    {
        _connection.NotePublished();
        Store(message, mandatory, ++_received);
    }

    /// <summary>
    /// Stores a message. If a queue of the message has no majority, the message waits for it. A channel that has published to the queue before continues meanwhile, until
    /// its connection is stopped; another channel does nothing more until the broker gives up.
    /// </summary>
    private void Store(BrokerMessage message, bool mandatory, ulong number)
    {
        if (_pending >= PendingLimit && ++_readSince == ReadLimit)
            _connection.StopReading();
        var queues = Broker.FindAll(message);
        if (queues.Find(static queue => !queue.HasMajority) is not { } waited)
        {
            _registered.UnionWith(queues);
            Route(message, mandatory, number);
        }
        else if (_registered.Contains(waited))
        {
            _pending++;
            waited.WhenMajority(() =>
            {
                Route(message, mandatory, number);
                if (_pending-- != PendingLimit)
                    return;
                _readSince = 0;
                _connection.ReadAgain();
            });
        }
        else
        {
            _isStuck = true;
            var isOver = false;
            waited.WhenMajority(() => Continue(() => Store(message, mandatory, number)));
            World.After(RegistrationTime, null, () => Continue(() => _connection.Down(() => Confirm(number, isTaken: false))));

            void Continue(Action end)
            {
                if (isOver)
                    return;
                (isOver, _isStuck) = (true, false);
                end();
                while (!_isStuck && _waiting.TryDequeue(out var next))
                    Execute(next);
            }
        }
    }

    private void Route(BrokerMessage message, bool mandatory, ulong number)
    {
        var (isRouted, isRefused) = Broker.Route(message);
        if (!isRouted && mandatory)
            _connection.Down(() => BasicReturnAsync?.Invoke(Facade, new BasicReturnEventArgs(312, "NO_ROUTE", message.Exchange, message.Key, message.Properties, message.Body)));
        if (_confirms)
            _connection.Down(() => Confirm(number, !isRefused));
    }

    private void Confirm(ulong number, bool isTaken)
    {
        if (!IsOpen)
            return;
        if (_tracked.Remove(number, out var tracked) && isTaken)
            tracked.TrySetResult();
        else
            tracked?.TrySetException(new PublishException(number, isReturn: false));
        if (isTaken)
            BasicAcksAsync?.Invoke(Facade, new BasicAckEventArgs(number, multiple: false));
        else
            BasicNacksAsync?.Invoke(Facade, new BasicNackEventArgs(number, multiple: false, requeue: false));
    }

    private void Dispatch(Func<Task> call)
    {
        _calls.Enqueue(call);
        if (!_isCalling)
            _ = DispatchAsync();
    }

    private async Task DispatchAsync()
    {
        _isCalling = true;
        while (_calls.TryDequeue(out var call))
            await call().ConfigureAwait(false);
        _isCalling = false;
    }
}

/// <summary>An error for which the broker closes a channel.</summary>
internal sealed class ClosedByBrokerException(ushort code, string message) : Exception(message)
{
    public ushort Code { get; } = code;
}
