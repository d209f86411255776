using System;
using System.Threading;
using System.Threading.Tasks;
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
    public void Sequenced_type_keeps_its_stream_when_its_delivery_is_set_again()
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
    public async Task Remote_side_that_does_not_read_sequenced_events_receives_them_reliably()
    {
        _deliveries.Set(MessageContract.GetDeclared<Ping>(), DeliveryMode.Sequenced);
        await using var channel = new DeliveringChannel();
        var outbox = new Outbox(channel, 1000, static _ => { }, CancellationToken.None) { Deliveries = _deliveries };
        byte[] ping = [1, 5, 0, 0, 0];

        outbox.Append(ping);
        await outbox.FlushAsync().InTime();
        outbox.IsSequencedReadable = true;
        outbox.Append(ping);
        await outbox.FlushAsync().InTime();

        Assert.Equal([Delivery.ReliableOrdered, Delivery.Sequenced(0)], channel.Deliveries);
    }

    [Fact]
    public void Types_that_are_delivered_by_type_have_separate_streams_until_they_share()
    {
        var serializer = MessageContract.GetDeclared<Note>().Serializer;
        for (var i = 0u; i <= EventDeliveries.ReliableStreams; i++)
            _deliveries.Set(new MessageContract<Note>(100 + i, serializer), DeliveryMode.ReliableByType);
        _deliveries.Set(new MessageContract<Note>(100, serializer), DeliveryMode.ReliableByType); // keeps its stream

        for (var i = 0u; i <= EventDeliveries.ReliableStreams; i++)
            Assert.Equal(Delivery.ReliableByType((byte)(i % EventDeliveries.ReliableStreams)), Find(100 + i, MessageKind.Event));
        Assert.Equal(Delivery.ReliableOrdered, Find(100, MessageKind.Request));
    }

    [Theory]
    [InlineData(true)]
    [InlineData(false)]
    public async Task Message_does_not_wait_for_another_type_if_the_channel_sends_streams_concurrently(bool isConcurrent)
    {
        _deliveries.Set(MessageContract.GetDeclared<Note>(), DeliveryMode.ReliableByType);
        await using var channel = new DeliveringChannel { IsConcurrent = isConcurrent, Held = isConcurrent ? Delivery.ReliableByType(0) : Delivery.ReliableOrdered };
        var outbox = new Outbox(channel, 100, static _ => { }, CancellationToken.None) { Deliveries = _deliveries };
        byte[] note = [3, .. new byte[80]];
        byte[] ping = [1, 5, 0, 0, 0];

        Assert.Equal(SendStatus.Sent, outbox.Append(note));
        await Signal.UntilAsync(() => channel.Deliveries.Count == 1);
        Assert.Equal(SendStatus.Sent, outbox.Append(note));
        Assert.Equal(SendStatus.Full, outbox.Append(note));
        var room = outbox.WaitForRoomAsync(note.Length);
        Assert.False(room.IsCompleted);
        Assert.Equal(SendStatus.Sent, outbox.Append(ping));
        Assert.True(outbox.TrySeal([1, 9, 0, 0, 0]));
        var flushed = outbox.FlushAsync();
        if (isConcurrent)
            await Signal.UntilAsync(() => channel.Deliveries.Count == 2);
        Assert.Equal(isConcurrent ? [Delivery.ReliableByType(0), Delivery.Unreliable] : [Delivery.ReliableOrdered], channel.Deliveries);
        Assert.False(flushed.IsCompleted);
        channel.Release();

        await room.InTime();
        await flushed.InTime();
        Assert.Equal(Delivery.Reliable, channel.Deliveries[^1]);
        Assert.Equal(4, channel.Deliveries.Count);
        outbox.Close();
        Assert.Equal((0, 0), (outbox.LostFrames, outbox.PendingBytes));
        Assert.Equal(SendStatus.Closed, outbox.Append(note));
    }

    [Fact]
    public async Task Announcement_while_a_type_is_being_sent_does_not_end_its_stream()
    {
        _deliveries.Set(MessageContract.GetDeclared<Note>(), DeliveryMode.ReliableByType);
        await using var channel = new DeliveringChannel { IsConcurrent = true };
        var outbox = new Outbox(channel, 100, static _ => { }, CancellationToken.None) { Deliveries = _deliveries };
        outbox.Append([3, 1]);
        await outbox.FlushAsync().InTime();

        var announcement = new OutgoingFrame([1, 9, 0, 0, 0]) { IsControl = true, Delivery = Delivery.Reliable };
        outbox.Append(ref announcement);
        await outbox.FlushAsync().InTime();
        Assert.Equal(SendStatus.Sent, outbox.Append([3, 2]));
        await outbox.FlushAsync().InTime();

        Assert.Equal([Delivery.ReliableByType(0), Delivery.ReliableOrdered, Delivery.ReliableByType(0)], channel.Deliveries);
    }

    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public async Task Events_by_type_are_sent_after_the_handshake_and_before_the_goodbye(bool isSealed)
    {
        _deliveries.Set(MessageContract.GetDeclared<Note>(), DeliveryMode.ReliableByType);
        await using var channel = new DeliveringChannel { IsConcurrent = true };
        var outbox = new Outbox(channel, 100, static _ => { }, CancellationToken.None) { Deliveries = _deliveries };
        outbox.Cork();
        var accept = new OutgoingFrame([1, 9, 0, 0, 0]) { IsControl = true, Delivery = Delivery.Reliable };
        outbox.Append(ref accept);
        Assert.Equal(SendStatus.Sent, outbox.Append([3, 1]));
        if (isSealed)
            Assert.True(outbox.TrySeal([1, 8, 0, 0, 0]));

        outbox.Uncork();
        await outbox.FlushAsync().InTime();

        Assert.Equal(isSealed ? [Delivery.Reliable, Delivery.ReliableByType(0), Delivery.Reliable] : [Delivery.Reliable, Delivery.ReliableByType(0)], channel.Deliveries);
    }

    private Delivery Find(uint type, MessageKind kind)
    {
        using var packed = ControlMessage.Writer.PackRaw(new MessageHeader(type, kind, kind is MessageKind.Event or MessageKind.Control ? 0u : 9u), default);
        return _deliveries.Find(packed.Span, isSequencedReadable: true);
    }
}
