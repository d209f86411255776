using System.Diagnostics;
using Reloaded.Messaging.Wire;

namespace Reloaded.Messaging.Hosting;

/// <summary>The delivery of messages over channels that support more than one kind of delivery: of events by their type, and of all other messages. Thread-safe.</summary>
internal sealed class EventDeliveries
{
    /// <summary>The maximum number of sequenced types. Each has a separate order.</summary>
    public const int MaxSequenced = byte.MaxValue + 1;

    /// <summary>The number of orders of <see cref="DeliveryMode.ReliableByType"/>. More types share them.</summary>
    public const int ReliableOrders = 14;

    /// <summary>The order of the blocks of streams and files.</summary>
    public const byte OrderOfBlocks = ReliableOrders;

    private readonly object _gate = new();
    private readonly Dictionary<uint, byte> _orders = [];
    private readonly Dictionary<uint, byte> _reliableOrders = [];
    private Dictionary<uint, Delivery> _byType = []; // replaced by each change, so that it is read without a lock

    /// <summary>Sets the delivery of the events of a type. The order of a sequenced type stays reserved for the type.</summary>
    public void Set(MessageContract contract, DeliveryMode mode)
    {
        lock (_gate)
        {
            Volatile.Write(ref _byType, new Dictionary<uint, Delivery>(_byType)
            {
                [contract.Type] = mode switch
                {
                    DeliveryMode.Unreliable => Delivery.Unreliable,
                    DeliveryMode.Sequenced => Delivery.Sequenced(GetOrder(contract)),
                    DeliveryMode.ReliableOrdered => Delivery.ReliableOrdered,
                    DeliveryMode.ReliableByType => Delivery.ReliableByType(GetReliableOrder(contract)),
                    _ => throw new ArgumentOutOfRangeException(nameof(mode), mode, $"The delivery is {(int)mode}; use a value of {nameof(DeliveryMode)}."),
                },
            });
        }
    }

    /// <summary>Returns the delivery of a packed message, by its header.</summary>
    /// <param name="message">The header and the payload.</param>
    /// <param name="isSequencedReadable">Whether the remote side reads sequenced events. Otherwise, they are sent reliably and in order, which also keeps older events from arriving after newer ones.</param>
    public Delivery Find(ReadOnlySpan<byte> message, bool isSequencedReadable)
    {
        if (MessageHeader.TryRead(message, out var header, out var size) != HeaderStatus.Ok)
            return Delivery.Unreliable;
        if (header.Kind == MessageKind.Control)
            return ControlCode.DeliveryOf(header.Type, message.Length - size);
        return header.Kind == MessageKind.Event ? FindEvent(header.Type, isSequencedReadable) : Delivery.ReliableOrdered;
    }

    /// <summary>Returns the delivery of the events of a type.</summary>
    /// <inheritdoc cref="Find"/>
    public Delivery FindEvent(uint type, bool isSequencedReadable)
    {
        Volatile.Read(ref _byType).TryGetValue(type, out var delivery);
        return delivery.Mode == DeliveryMode.Sequenced && !isSequencedReadable ? Delivery.ReliableOrdered : delivery;
    }

    private byte GetOrder(MessageContract contract)
    {
        Debug.Assert(Monitor.IsEntered(_gate));
        if (_orders.TryGetValue(contract.Type, out var order))
            return order;
        if (_orders.Count == MaxSequenced)
            throw new InvalidOperationException($"{contract} would be the sequenced type number {MaxSequenced + 1} of this host; it can have at most {MaxSequenced}. Deliver another type reliably or unreliably.");
        order = (byte)_orders.Count;
        _orders.Add(contract.Type, order);
        return order;
    }

    private byte GetReliableOrder(MessageContract contract)
    {
        Debug.Assert(Monitor.IsEntered(_gate));
        if (_reliableOrders.TryGetValue(contract.Type, out var order))
            return order;
        order = (byte)(_reliableOrders.Count % ReliableOrders);
        _reliableOrders.Add(contract.Type, order);
        return order;
    }
}
