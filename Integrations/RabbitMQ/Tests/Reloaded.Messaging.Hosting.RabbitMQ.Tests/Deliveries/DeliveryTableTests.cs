using System.Collections.Generic;
using System.Threading.Tasks;
using RabbitMQ.Client;
using Reloaded.Messaging.Hosting.RabbitMQ;
using Xunit;
using RabbitDelivery = Reloaded.Messaging.Hosting.RabbitMQ.Delivery;

namespace Reloaded.Messaging.Tests.Deliveries;

public sealed class DeliveryTableTests
{
    private readonly DeliveryTable _table = new();
    private readonly List<(ulong Tag, Outcome Outcome)> _settled = [];

    [Fact]
    public void Delivery_of_an_open_channel_is_settled_itself()
    {
        var delivery = Deliver(tag: 1, _table.OpenChannel());
        Assert.True(_table.TryBegin(delivery, now: 0));

        Assert.Same(delivery, _table.End(delivery, Outcome.Done));
        Assert.Equal(DeliveryState.Open, delivery.State);
    }

    [Fact]
    public void Redelivery_is_settled_with_the_outcome_of_the_running_handler()
    {
        var first = Abandon(tag: 1);
        var redelivery = Deliver(tag: 9, _table.OpenChannel());

        Assert.True(_table.TryJoin(redelivery, out var ended));
        Assert.Null(ended);
        Assert.Same(redelivery, _table.End(first, Outcome.Again));
        Assert.Same(redelivery, _table.End(redelivery, Outcome.Again)); // over its own channel
        Assert.False(_table.TryJoin(Deliver(tag: 10, channel: 2), out _));
    }

    [Fact]
    public void Next_message_of_a_partition_waits_until_no_abandoned_handler_runs()
    {
        Assert.True(_table.WaitForAbandonedAsync().IsCompletedSuccessfully);
        var first = Abandon(tag: 1);
        var wait = _table.WaitForAbandonedAsync();
        var second = Abandon(tag: 2);

        _table.End(first, Outcome.Done);
        Assert.False(wait.IsCompleted);
        _table.End(second, Outcome.Done);

        Assert.True(wait.IsCompletedSuccessfully);
        Assert.True(_table.WaitForAbandonedAsync().IsCompletedSuccessfully);
        Abandon(tag: 3);
        Assert.False(_table.WaitForAbandonedAsync().IsCompleted);
    }

    [Fact]
    public void Redelivery_after_the_end_of_the_handler_gets_its_outcome_once()
    {
        var first = Abandon(tag: 1);

        Assert.Null(_table.End(first, Outcome.Dead));

        Assert.True(_table.TryJoin(Deliver(tag: 9, _table.OpenChannel()), out var ended));
        Assert.Equal(Outcome.Dead, ended);
        Assert.False(_table.TryJoin(Deliver(tag: 10, channel: 2), out _));
    }

    [Fact]
    public void Redeliveries_of_two_copies_of_a_message_are_both_settled()
    {
        var first = Abandon(tag: 1);
        var channel = _table.OpenChannel();
        var (one, other) = (Deliver(tag: 9, channel), Deliver(tag: 10, channel));

        Assert.True(_table.TryJoin(one, out _));
        Assert.True(_table.TryJoin(other, out _));

        Assert.Same(other, _table.End(first, Outcome.Done));
        Assert.Same(one, other.Successor);
        Assert.Null(one.Successor);
    }

    [Fact]
    public void Redelivery_that_loses_its_channel_too_is_joined_by_the_next_one()
    {
        var first = Abandon(tag: 1);
        var second = _table.OpenChannel();
        Assert.True(_table.TryJoin(Deliver(tag: 1, second), out _));

        _table.Abandon(second);

        var redelivery = Deliver(tag: 1, _table.OpenChannel());
        Assert.True(_table.TryJoin(redelivery, out _));
        Assert.Same(redelivery, _table.End(first, Outcome.Done));
    }

    [Fact]
    public void Outcome_of_a_message_that_does_not_come_again_is_forgotten_with_the_next_channel()
    {
        var first = Abandon(tag: 1);
        _table.End(first, Outcome.Done);
        var second = _table.OpenChannel();

        _table.Abandon(second);

        Assert.False(_table.TryJoin(Deliver(tag: 1, _table.OpenChannel()), out _));
    }

    [Fact]
    public void Message_without_a_number_is_handled_again()
    {
        var first = Abandon(tag: 1, number: 0);

        Assert.False(_table.TryJoin(Deliver(tag: 1, _table.OpenChannel(), number: 0), out _));
        Assert.Null(_table.End(first, Outcome.Done));
    }

    [Fact]
    public void Waiting_delivery_of_a_closed_channel_does_not_begin()
    {
        var channel = _table.OpenChannel();
        _table.Abandon(channel);

        Assert.False(_table.TryBegin(Deliver(tag: 1, channel), now: 0));
        Assert.True(_table.TryBegin(Deliver(tag: 2, _table.OpenChannel()), now: 0));
    }

    [Fact]
    public void Stalled_handlers_of_the_open_channel_are_reported_once()
    {
        Abandon(tag: 1);
        var channel = _table.OpenChannel();
        var (early, late) = (Deliver(tag: 2, channel, number: 2), Deliver(tag: 3, channel, number: 3));
        _table.TryBegin(early, now: 100);
        _table.TryBegin(late, now: 200);

        Assert.Equal([(early.From, 100L)], _table.TakeStalled(channel, before: 200));
        Assert.Equal([(late.From, 200L)], _table.TakeStalled(channel, before: 300));
    }

    [Fact]
    public async Task Delivery_is_settled_by_the_last_end_with_the_worst_outcome()
    {
        var delivery = Deliver(tag: 5, channel: 0);
        delivery.Add();
        Assert.True(delivery.TryAdd());

        await delivery.EndAsync(Outcome.Done);
        delivery.Complete(isConfirmed: true);
        Assert.Empty(_settled);
        await delivery.EndAsync(Outcome.Dead);

        Assert.Equal([(5UL, Outcome.Dead)], _settled);
        Assert.False(delivery.TryAdd());
        Assert.True(delivery.IsShared);
    }

    private RabbitDelivery Abandon(ulong tag, ulong number = 1)
    {
        var delivery = Deliver(tag, _table.OpenChannel(), number);
        Assert.True(_table.TryBegin(delivery, now: 0));
        _table.Abandon(delivery.Channel);
        return delivery;
    }

    private RabbitDelivery Deliver(ulong tag, int channel, ulong number = 1)
    {
        var delivery = new RabbitDelivery((settled, outcome) =>
        {
            _settled.Add((settled.Tag, outcome));
            return Task.CompletedTask;
        });
        delivery.Begin(tag, channel, new Origin("sender", "topic", number, IsRepeated: false, Tries: 1), isRedelivered: false, new BasicProperties());
        return delivery;
    }
}
