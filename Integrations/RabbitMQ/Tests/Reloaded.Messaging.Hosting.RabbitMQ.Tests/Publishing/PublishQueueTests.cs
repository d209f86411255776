using System;
using System.Collections.Generic;
using System.Threading.Tasks;
using Reloaded.Messaging.Hosting;
using Reloaded.Messaging.Hosting.RabbitMQ;
using Reloaded.Messaging.Tests.Support;
using Xunit;

namespace Reloaded.Messaging.Tests.Publishing;

/// <summary>What a host keeps for its broker, without one.</summary>
public sealed partial class PublishQueueTests
{
    private const int Room = 4 * (PublishQueue.Overhead + 1);

    [Fact]
    public void Without_confirms_nothing_is_taken_while_there_is_no_connection_and_what_waits_is_dropped_with_it()
    {
        var queue = new PublishQueue(Room, confirms: false);
        Assert.Equal(SendStatus.Closed, Add(queue, 1));
        queue.Open();
        Assert.Equal(SendStatus.Sent, Add(queue, 1));
        Assert.Equal(SendStatus.Sent, Add(queue, 2));

        queue.Close();

        Assert.Equal((0, 2), (queue.Counts.Pending, queue.Counts.Dropped));
        queue.Open();
        Assert.Empty(TakeAll(queue));
        Add(queue, 3);
        Assert.Equal([(3, 3UL, false)], TakeAll(queue)); // the numbers say that two are missing
    }

    [Fact]
    public void With_confirms_messages_are_taken_without_a_connection_and_sent_again_with_a_mark_after_one()
    {
        var queue = new PublishQueue(Room, confirms: true);
        Add(queue, 1);
        Add(queue, 2);
        queue.Open();
        Assert.Equal([(1, 1UL, false)], TakeAll(queue)); // alone, until the broker replies
        queue.Confirm(queue.Flights, 1, multiple: false, isTaken: true);
        Assert.Equal([(2, 2UL, false)], TakeAll(queue));
        Add(queue, 3);

        queue.Close();
        queue.Open();

        Assert.Equal([(2, 2UL, true)], TakeAll(queue));
        queue.Confirm(queue.Flights, 1, multiple: false, isTaken: true);
        Assert.Equal([(3, 3UL, false)], TakeAll(queue));
        Assert.Equal((1, 1), (queue.Counts.Pending, queue.Counts.Resent));
        queue.Confirm(queue.Flights, 2, multiple: true, isTaken: true);
        Assert.Equal(0, queue.Counts.Pending);
    }

    [Fact]
    public async Task It_is_full_until_enough_is_confirmed()
    {
        var queue = new PublishQueue(Room, confirms: true);
        queue.Open();
        for (var number = 1; number <= 4; number++)
            Assert.Equal(SendStatus.Sent, Add(queue, number));
        Assert.Equal(SendStatus.Full, Add(queue, 5));
        TakeAll(queue);
        Assert.Equal(SendStatus.Full, Add(queue, 5));
        var room = queue.WaitForRoomAsync(1);

        queue.Confirm(queue.Flights, 1, multiple: false, isTaken: true);
        Assert.False(room.IsCompleted);
        TakeAll(queue);
        queue.Confirm(queue.Flights, 2, multiple: false, isTaken: true);

        await room.InTime();
        Assert.Equal(SendStatus.Sent, Add(queue, 5));
    }

    [Fact]
    public async Task Who_waits_is_woken_for_room_of_a_message_s_size_and_one_above_the_bound_waits_for_an_empty_queue()
    {
        var queue = new PublishQueue(Room, confirms: true);
        queue.Open();
        Add(queue, 1);
        Add(queue, 2);
        TakeAll(queue);
        Assert.True(queue.WaitForRoomAsync(1).IsCompleted);
        var large = queue.WaitForRoomAsync(Room / 2);
        Assert.False(large.IsCompleted);

        queue.Confirm(queue.Flights, 1, multiple: false, isTaken: true);
        await large.InTime();
        TakeAll(queue);
        var larger = queue.WaitForRoomAsync(2 * Room);
        Assert.False(larger.IsCompleted);
        queue.Confirm(queue.Flights, 2, multiple: false, isTaken: true);

        await larger.InTime();
    }

    [Fact]
    public void First_message_that_is_never_confirmed_takes_only_its_own_room()
    {
        var queue = new PublishQueue(100 * PublishQueue.Overhead, confirms: true);
        queue.Open();
        for (ulong flight = 1; flight <= UnconfirmedFlights.Window; flight++)
        {
            Assert.Equal(SendStatus.Sent, Add(queue, 1));
            TakeAll(queue);
            if (flight != 2) // the first one makes the topic known
                queue.Confirm(queue.Flights, flight, multiple: false, isTaken: true);
        }

        Assert.Equal(1, queue.Counts.Pending);
    }

    [Fact]
    public void Confirms_of_numbers_that_are_not_out_change_nothing()
    {
        var queue = new PublishQueue(Room, confirms: true);
        queue.Open();
        Add(queue, 1);
        TakeAll(queue);

        queue.Confirm(queue.Flights, 7, multiple: false, isTaken: true);
        queue.Confirm(queue.Flights, 0, multiple: true, isTaken: true);
        Assert.Equal(1, queue.Counts.Pending);
        queue.Confirm(queue.Flights, ulong.MaxValue, multiple: true, isTaken: true);
        queue.Confirm(queue.Flights, 1, multiple: false, isTaken: false);

        Assert.Equal(0, queue.Counts.Pending);
        Add(queue, 2);
        Assert.Equal([(2, 2UL, false)], TakeAll(queue));
    }

    [Fact]
    public async Task A_blocked_queue_is_full_gives_nothing_out_and_takes_answers_up_to_twice_its_room()
    {
        var queue = new PublishQueue(Room, confirms: false);
        queue.Open();
        Add(queue, 1);

        queue.Block(true);

        Assert.Equal(SendStatus.Full, Add(queue, 2));
        Assert.Empty(TakeAll(queue));
        var room = queue.WaitForRoomAsync(1);
        Assert.False(room.IsCompleted);
        var answers = 0;
        while (queue.TryAdd([9], "requester", OutgoingKind.Answer, isSecret: false) == SendStatus.Sent)
            answers++;
        Assert.Equal(7, answers);
        queue.Block(false);
        await room.InTime();
        Assert.Equal(8, TakeAll(queue).Count);
    }

    [Fact]
    public void A_batch_holds_what_follows_in_one_topic_up_to_its_size()
    {
        var queue = new PublishQueue(100_000, confirms: true);
        queue.Open();
        foreach (var topic in "ab") // known on the channel from now on
        {
            queue.TryAdd([1], $"{topic}", OutgoingKind.Event, isSecret: false);
            TakeAll(queue);
            queue.Confirm(queue.Flights, 2, multiple: true, isTaken: true);
        }

        foreach (var topic in "aaaaabaa")
            queue.TryAdd([1, 2, 3, 4], $"{topic}", OutgoingKind.Event, isSecret: false);
        using var batch = new MessageBatch();
        var taken = new List<(string Topic, ulong Number, int Count, int Bytes)>();
        while (queue.TryTake(batch, batchBytes: 25, out var next))
            taken.Add((next.Head.Key, next.Head.Number, next.Count, next.Body.Length));

        Assert.Equal([("a", 2, 3, 15), ("a", 5, 2, 10), ("b", 2, 1, 4), ("a", 7, 2, 10)], taken);
        queue.Confirm(queue.Flights, 3, multiple: false, isTaken: false);
        queue.Retry(now: 0);
        queue.Retry(now: 100);
        Assert.True(queue.TryTake(batch, batchBytes: 25, out var again));
        Assert.Equal((2UL, 1, true), (again.Head.Number, again.Count, again.Head.IsRepeated));
        queue.Confirm(queue.Flights, 7, multiple: false, isTaken: true);
        queue.Retry(now: 100);
        Assert.True(queue.TryTake(batch, batchBytes: 25, out again));
        Assert.Equal((3UL, 2, true), (again.Head.Number, again.Count, again.Head.IsRepeated));
    }

    private static SendStatus Add(PublishQueue queue, int message) => queue.TryAdd([(byte)message], "topic", OutgoingKind.Event, isSecret: false);

    private static List<(int Message, ulong Number, bool IsRepeated)> TakeAll(PublishQueue queue)
    {
        var all = new List<(int, ulong, bool)>();
        while (queue.TryTake(null, 0, out var next))
            all.Add((next.Body.Span[0], next.Head.Number, next.Head.IsRepeated));
        return all;
    }
}
