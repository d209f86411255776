using Reloaded.Messaging.CompilerServices;
using Reloaded.Messaging.Tests.Support;
using Xunit;

namespace Reloaded.Messaging.Tests.Generated;

/// <summary>Each on a thread of its own, whose pools start empty, and with no collection in between to empty them.</summary>
[Quiet]
public sealed class PooledMessageTests
{
    [Fact]
    public void Handlers_get_one_instance_again_and_again() => Uncollected.Run(static () =>
    {
        var receiver = new PooledReceiver<Notification>(static _ => Assert.Equal(0, InstancePool<Notification>.Spare));
        receiver.Receive(Payload.Of(new Notification { Id = 1 }));
        var first = receiver.Last;
        Assert.Equal(1, InstancePool<Notification>.Spare);
        receiver.Receive(Payload.Of(new Notification { Id = 2 }));
        Assert.Same(first, receiver.Last);
        Assert.Equal(1, InstancePool<Notification>.Spare);
    });

    [Fact]
    public void An_older_message_behind_a_full_one_shows_blanks_and_not_what_the_other_said() => Uncollected.Run(static () =>
    {
        var got = "";
        var receiver = new PooledReceiver<Notification>(message => got = $"{message.Id} {message.Value} {message.Status} {message.ServerTime.Ticks}");
        var full = Payload.Of(new Notification { Id = 1, Value = 2, Status = 3, ServerTime = new DateTime(4, DateTimeKind.Utc) });
        receiver.Receive(full);
        Assert.Equal("1 2 3 4", got);
        Assert.Equal(DispatchStatus.Handled, receiver.Receive(full.AsSpan(0, 4)));
        Assert.Equal("1 0 5 0", got); // 5 is the initializer's
        Assert.Equal(DispatchStatus.Handled, receiver.Receive([]));
        Assert.Equal("0 0 5 0", got);
    });

    [Fact]
    public void Collections_of_an_older_message_are_blank_too() => Uncollected.Run(static () =>
    {
        var got = "";
        var receiver = new PooledReceiver<NotificationBatch>(message => got = $"{message.Subscription} {message.Items.Count} {message.Extra?.Count}");
        receiver.Receive(Payload.Of(Batch(3)));
        Assert.Equal("sub 3 2", got);
        receiver.Receive([]);
        Assert.Equal(" 0 ", got);
        receiver.Receive(Payload.Of(Batch(1)));
        Assert.Equal("sub 1 2", got);
    });

    [Fact]
    public void What_a_message_holds_goes_back_with_it() => Uncollected.Run(static () =>
    {
        var receiver = new PooledReceiver<NotificationBatch>(static _ => { });
        for (var i = 0; i < 3; i++)
        {
            receiver.Receive(Payload.Of(Batch(5)));
            Assert.Equal(1, InstancePool<NotificationBatch>.Spare);
            Assert.Equal(5, InstancePool<Notification>.Spare);
            Assert.Equal(1, InstancePool<List<Notification>>.Spare);
            Assert.Equal(1, InstancePool<Dictionary<string, List<int>>>.Spare);
            Assert.Equal(2, InstancePool<List<int>>.Spare);
        }

        receiver.Receive(Payload.Of(Batch(2)));
        Assert.Equal(5, InstancePool<Notification>.Spare);
    });

    [Fact]
    public void A_payload_that_fails_gives_its_messages_back() => Uncollected.Run(static () =>
    {
        var payload = Payload.Of(Batch(5));
        var receiver = new PooledReceiver<NotificationBatch>(static _ => { });
        receiver.Receive(payload);
        var failed = 0;
        for (var length = payload.Length - 1; length >= 0; length--)
        {
            failed += receiver.Receive(payload.AsSpan(0, length)) == DispatchStatus.InvalidPayload ? 1 : 0;
            Assert.Equal(1, InstancePool<NotificationBatch>.Spare);
            Assert.Equal(5, InstancePool<Notification>.Spare);
            Assert.Equal(1, InstancePool<List<Notification>>.Spare);
            Assert.Equal(1, InstancePool<Dictionary<string, List<int>>>.Spare);
        }

        Assert.True(failed > payload.Length / 2, $"{failed} of {payload.Length} failed.");
    });

    [Fact]
    public void An_instance_whose_handler_threw_is_not_used_again() => Uncollected.Run(static () =>
    {
        var fails = true;
        var receiver = new PooledReceiver<Notification>(_ =>
        {
            if (fails)
                throw new InvalidOperationException("on purpose");
        });
        var payload = Payload.Of(new Notification { Id = 1 });
        Assert.ThrowsAny<Exception>(() => receiver.Receive(payload));
        var lost = receiver.Last;
        Assert.Equal(1u, lost!.Id);
        Assert.Equal(0, InstancePool<Notification>.Spare);

        fails = false;
        receiver.Receive(payload);
        Assert.NotSame(lost, receiver.Last);
        Assert.Equal(1, InstancePool<Notification>.Spare);
    });

    [Fact]
    public void A_handler_that_dispatches_the_same_message_has_two_of_them() => Uncollected.Run(static () =>
    {
        PooledReceiver<Notification>? receiver = null;
        receiver = new PooledReceiver<Notification>(message =>
        {
            if (message.Id != 1)
                return;
            receiver!.Receive(Payload.Of(new Notification { Id = 2 }));
            Assert.Equal(1u, message.Id);
        });
        receiver.Receive(Payload.Of(new Notification { Id = 1 }));
        Assert.Equal(2, InstancePool<Notification>.Spare);
    });

    [Fact]
    public void Everything_that_can_be_rented_arrives_in_rented_instances_as_in_new_ones() => Uncollected.Run(static () =>
    {
        var sent = SampleValues.FullNest();
        var payload = Payload.Of(sent);
        Assert.Equivalent(sent, Payload.Read<PooledNest>(payload), strict: true);
        var receiver = new PooledReceiver<PooledNest>(message => Assert.Equal(payload, Payload.Of(message)));
        for (var i = 0; i < 3; i++)
            Assert.Equal(DispatchStatus.Handled, receiver.Receive(payload));
    });

    [Fact]
    public void A_promise_of_a_million_pairs_that_fails_leaves_no_room_for_them_in_the_pool() => Uncollected.Run(static () =>
    {
        var payload = new byte[200_000];
        var count = new byte[5];
        var size = Reloaded.Messaging.Wire.UVarint.Write(count, 60_001);
        payload[0] = 1; // Subscription: empty
        payload[1] = 1; // Items: none
        count.AsSpan(0, size).CopyTo(payload.AsSpan(2));
        var receiver = new PooledReceiver<NotificationBatch>(static _ => { });
        Assert.Equal(DispatchStatus.InvalidPayload, receiver.Receive(payload)); // the first key is null

        if (InstancePool<Dictionary<string, List<int>>>.TryRent(out var kept))
            Assert.InRange(kept.EnsureCapacity(0), 0, PooledCollections.MaxKept);
    });

    public static NotificationBatch Batch(int items)
    {
        var batch = new NotificationBatch { Subscription = "sub", Extra = new() { ["a"] = [1], ["b"] = [2, 3] } };
        for (var i = 0; i < items; i++)
            batch.Items.Add(new Notification { Id = (uint)i, Value = i / 2.0, Status = 9 });
        return batch;
    }
}
