using Reloaded.Messaging.Hosting;
using Reloaded.Messaging.Tests.Support;
using Reloaded.Messaging.Wire;
using Xunit;

namespace Reloaded.Messaging.Tests.Connections;

public sealed class EventDeliveriesTests
{
    private readonly EventDeliveries _deliveries = new();

    [Fact]
    public void Events_are_delivered_by_type_and_other_messages_reliably()
    {
        _deliveries.Set(MessageContract.GetDeclared<Ping>(), DeliveryMode.Sequenced);
        _deliveries.Set(MessageContract.GetDeclared<Note>(), DeliveryMode.Sequenced);
        _deliveries.Set(MessageContract.GetDeclared<Pong>(), DeliveryMode.ReliableOrdered);

        Assert.Equal(Delivery.Sequenced(0), Find(1, MessageKind.Event));
        Assert.Equal(Delivery.Sequenced(1), Find(3, MessageKind.Event));
        Assert.Equal(Delivery.ReliableOrdered, Find(2, MessageKind.Event));
        Assert.Equal(Delivery.Unreliable, Find(4, MessageKind.Event));
        foreach (var kind in new[] { MessageKind.Request, MessageKind.Reply, MessageKind.Fault })
            Assert.Equal(Delivery.ReliableOrdered, Find(1, kind));
        Assert.Equal(Delivery.Unreliable, Find(1, MessageKind.Control));
    }

    [Fact]
    public void Sequenced_type_keeps_its_order_when_its_delivery_is_set_again()
    {
        _deliveries.Set(MessageContract.GetDeclared<Ping>(), DeliveryMode.Sequenced);
        _deliveries.Set(MessageContract.GetDeclared<Ping>(), DeliveryMode.Unreliable);
        Assert.Equal(Delivery.Unreliable, Find(1, MessageKind.Event));
        _deliveries.Set(MessageContract.GetDeclared<Note>(), DeliveryMode.Sequenced);
        _deliveries.Set(MessageContract.GetDeclared<Ping>(), DeliveryMode.Sequenced);

        Assert.Equal(Delivery.Sequenced(0), Find(1, MessageKind.Event));
        Assert.Equal(Delivery.Sequenced(1), Find(3, MessageKind.Event));
    }

    [Fact]
    public void Types_that_are_delivered_by_type_have_separate_orders_until_they_share()
    {
        var serializer = MessageContract.GetDeclared<Note>().Serializer;
        for (var i = 0u; i <= EventDeliveries.ReliableOrders; i++)
            _deliveries.Set(new MessageContract<Note>(100 + i, serializer), DeliveryMode.ReliableByType);
        _deliveries.Set(new MessageContract<Note>(100, serializer), DeliveryMode.ReliableByType); // keeps its order

        for (var i = 0u; i <= EventDeliveries.ReliableOrders; i++)
            Assert.Equal(Delivery.ReliableByType((byte)(i % EventDeliveries.ReliableOrders)), Find(100 + i, MessageKind.Event));
        Assert.Equal(Delivery.ReliableOrdered, Find(100, MessageKind.Request));
    }

    [Fact]
    public void No_type_has_the_order_of_the_blocks_of_streams()
    {
        var serializer = MessageContract.GetDeclared<Note>().Serializer;
        for (var i = 0u; i < 100; i++)
        {
            _deliveries.Set(new MessageContract<Note>(100 + i, serializer), DeliveryMode.ReliableByType);
            Assert.NotEqual(StreamContracts.BlockDelivery, Find(100 + i, MessageKind.Event));
        }
    }

    private Delivery Find(uint type, MessageKind kind)
    {
        using var packed = ControlMessage.Writer.PackRaw(new MessageHeader(type, kind, kind is MessageKind.Event or MessageKind.Control ? 0u : 9u), default);
        return _deliveries.Find(packed.Span, isSequencedReadable: true);
    }
}
