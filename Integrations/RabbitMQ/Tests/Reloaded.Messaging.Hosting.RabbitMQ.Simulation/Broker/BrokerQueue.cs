using System;
using System.Collections.Generic;
using System.Globalization;
using System.Linq;
using System.Text;
using RabbitMQ.Client;

namespace Reloaded.Messaging.Simulation;

/// <summary>A message at the broker. Each queue has a copy of its own.</summary>
/// <param name="Exchange">The exchange to which it was published.</param>
/// <param name="Key">The routing key.</param>
/// <param name="Properties">The properties, as they arrive at a consumer.</param>
/// <param name="Body">The body.</param>
internal sealed record BrokerMessage(string Exchange, string Key, BasicProperties Properties, byte[] Body)
{
    /// <summary>The position in its queue, to which a message returns.</summary>
    public long Position { get; set; }

    /// <summary>The number of returns to its queue.</summary>
    public int Returns { get; set; }
}

/// <summary>A consumer of a queue.</summary>
/// <param name="Channel">The channel.</param>
/// <param name="Tag">The tag.</param>
/// <param name="Prefetch">The maximum number of unsettled messages; 0 for no limit.</param>
internal sealed record BrokerConsumer(ClientChannel Channel, string Tag, int Prefetch)
{
    /// <summary>The number of unsettled messages.</summary>
    public int Unsettled { get; set; }

    public bool HasRoom => Prefetch == 0 || Unsettled < Prefetch;
}

/// <summary>A queue of the broker. It counts returns and keeps their order as a quorum queue does.</summary>
internal sealed class BrokerQueue(string name, ClientConnection? owner, bool isDurable, bool autoDelete, IDictionary<string, object?> arguments)
{
    private readonly SortedDictionary<long, BrokerMessage> _ready = [];
    private readonly List<BrokerConsumer> _consumers = [];
    private readonly Queue<Action> _stuck = new();
    private long _lastPosition;
    private int _nextConsumer;

    public string Name { get; } = name;

    /// <summary>The connection with which the queue ends; <c>null</c> for none.</summary>
    public ClientConnection? Owner { get; } = owner;

    public bool IsDurable { get; } = isDurable;

    public bool IsDeleted { get; private set; }

    /// <summary>Whether most nodes of the queue run. Otherwise, it stores and delivers nothing.</summary>
    public bool HasMajority { get; private set; } = true;

    /// <summary>The messages that wait for a consumer.</summary>
    public IEnumerable<BrokerMessage> Ready => _ready.Values;

    public int ReadyCount => _ready.Count;

    /// <summary>The number of messages that were delivered and not settled.</summary>
    public int Unsettled { get; private set; }

    public int ConsumerCount => _consumers.Count;

    /// <summary>The lowest number of a stored message that its publisher had marked as repeated. It and each later one may be stored twice.</summary>
    public long FirstMarked { get; private set; } = long.MaxValue;

    /// <summary>Whether the queue refuses messages.</summary>
    public bool IsFull => NumberOf("x-max-length") is { } most && TextOf("x-overflow") == "reject-publish" && ReadyCount + Unsettled >= most;

    /// <summary>Stops most nodes of the queue, or starts them again. The messages that wait are stored in their order.</summary>
    public void SetMajority(bool hasMajority)
    {
        World.Note($"broker: {Name} has {(hasMajority ? "a majority" : "no majority")}");
        HasMajority = hasMajority;
        while (HasMajority && _stuck.TryDequeue(out var resume))
            resume();
        Deliver();
    }

    /// <summary>Continues when most nodes run.</summary>
    public void WhenMajority(Action resume) => _stuck.Enqueue(resume);

    public void Add(BrokerMessage message)
    {
        if (message.Properties.Headers?.ContainsKey("x-repeated") == true)
            FirstMarked = Math.Min(FirstMarked, message.Properties.Timestamp.UnixTime);
        message = message with { Position = ++_lastPosition, Returns = 0 };
        if (NumberOf("x-max-length") is { } most && ReadyCount >= most)
            DeadLetter(TakeFirst(), "maxlen");
        _ready.Add(message.Position, message);
        var time = Math.Min(NumberOf("x-message-ttl") ?? long.MaxValue, message.Properties.Expiration is { Length: > 0 } text ? long.Parse(text, CultureInfo.InvariantCulture) : long.MaxValue);
        if (time != long.MaxValue)
            World.After(time * TimeSpan.TicksPerMillisecond, null, () => Expire(message));
        Deliver();
    }

    public void AddConsumer(BrokerConsumer consumer)
    {
        _consumers.Add(consumer);
        Deliver();
    }

    public void RemoveConsumer(BrokerConsumer consumer)
    {
        if (_consumers.Remove(consumer) && autoDelete && _consumers.Count == 0)
            Broker.Delete(this);
    }

    /// <summary>Records that a message was acknowledged.</summary>
    public void Settle(BrokerConsumer? consumer)
    {
        Unsettled--;
        if (consumer is not null)
            consumer.Unsettled--;
    }

    /// <summary>Puts a message back to its position, or to the dead letters if it was returned too often.</summary>
    /// <param name="message">The message.</param>
    /// <param name="consumer">The consumer that had it.</param>
    public void Return(BrokerMessage message, BrokerConsumer? consumer)
    {
        Settle(consumer);
        message.Returns++;
        if (NumberOf("x-delivery-limit") is { } most && message.Returns > most)
            DeadLetter(message, "delivery_limit");
        else if (!IsDeleted)
            _ready[message.Position] = message;
    }

    /// <summary>Moves a message to the dead letters.</summary>
    public void Reject(BrokerMessage message, BrokerConsumer? consumer)
    {
        Settle(consumer);
        DeadLetter(message, "rejected");
    }

    public void Delete()
    {
        IsDeleted = true;
        _ready.Clear();
        foreach (var consumer in _consumers.ToArray())
            consumer.Channel.CancelByBroker(consumer);
        _consumers.Clear();
    }

    /// <summary>Sends the messages that wait, as far as consumers have room. To be called after each of the changes above, when all of them are made.</summary>
    public void Deliver()
    {
        while (HasMajority && _ready.Count > 0 && NextConsumer() is { } consumer)
        {
            var message = TakeFirst();
            Unsettled++;
            consumer.Unsettled++;
            consumer.Channel.Deliver(this, consumer, message);
        }
    }

    private BrokerConsumer? NextConsumer()
    {
        if (arguments.TryGetValue("x-single-active-consumer", out var single) && single is true)
            return _consumers.Count > 0 && _consumers[0].HasRoom ? _consumers[0] : null;
        for (var left = _consumers.Count; left > 0; left--)
        {
            var consumer = _consumers[_nextConsumer++ % _consumers.Count];
            if (consumer.HasRoom)
                return consumer;
        }

        return null;
    }

    private BrokerMessage TakeFirst()
    {
        var (position, message) = _ready.First();
        _ready.Remove(position);
        return message;
    }

    private void Expire(BrokerMessage message)
    {
        if (_ready.Remove(message.Position))
            DeadLetter(message, "expired");
    }

    private void DeadLetter(BrokerMessage message, string reason)
    {
        if (TextOf("x-dead-letter-exchange") is not { } exchange)
            return;
        var key = TextOf("x-dead-letter-routing-key") ?? message.Key;
        var death = new Dictionary<string, object?>
        {
            ["reason"] = Encoding.UTF8.GetBytes(reason),
            ["count"] = 1L,
            ["queue"] = Encoding.UTF8.GetBytes(Name),
            ["exchange"] = Encoding.UTF8.GetBytes(message.Exchange),
            ["routing-keys"] = new List<object?> { Encoding.UTF8.GetBytes(message.Key) },
            ["time"] = new AmqpTimestamp(World.Milliseconds / 1000),
        };
        var headers = new Dictionary<string, object?>(message.Properties.Headers ?? new Dictionary<string, object?>());
        headers["x-death"] = new List<object?>([death, .. headers.TryGetValue("x-death", out var earlier) ? (List<object?>)earlier! : []]);
        Broker.Route(message with { Exchange = exchange, Key = key, Properties = new BasicProperties(message.Properties) { Headers = headers, Expiration = null } });
    }

    private long? NumberOf(string argument) => arguments.TryGetValue(argument, out var value) && value is not null ? Convert.ToInt64(value, CultureInfo.InvariantCulture) : null;

    private string? TextOf(string argument) => arguments.TryGetValue(argument, out var value) ? value as string : null;
}
