using System;
using System.Linq;
using System.Threading.Tasks;
using Reloaded.Messaging.Hosting;
using Reloaded.Messaging.Hosting.RabbitMQ;
using Reloaded.Messaging.Tests.Support;
using Xunit;

namespace Reloaded.Messaging.Tests.Publishing;

/// <content>What is refused, thrown away, and held.</content>
public sealed partial class PublishQueueTests
{
    [Fact]
    public void What_is_refused_is_sent_again_in_its_place_with_a_mark()
    {
        var queue = new PublishQueue(Room, confirms: true);
        queue.Open();
        for (var number = 1; number <= 3; number++)
            Add(queue, number);
        TakeAll(queue);
        queue.Confirm(queue.Flights, 1, multiple: false, isTaken: true);
        TakeAll(queue);

        queue.Confirm(queue.Flights, 2, multiple: false, isTaken: false);
        queue.Confirm(queue.Flights, 3, multiple: false, isTaken: true);

        Assert.Empty(TakeAll(queue));
        Assert.Equal(1100, queue.Retry(now: 1000));
        Assert.Empty(TakeAll(queue));
        queue.Retry(now: 1100);
        Assert.Equal([(2, 2UL, true)], TakeAll(queue));
        Assert.Equal((1, 1), (queue.Counts.Pending, queue.Counts.Rejected));
        queue.Confirm(queue.Flights, 4, multiple: true, isTaken: true);
        Assert.Equal(0, queue.Counts.Pending);
    }

    [Fact]
    public async Task A_flush_ends_with_what_was_there_when_it_began()
    {
        var queue = new PublishQueue(Room, confirms: true);
        queue.Open();
        Assert.True(queue.FlushAsync().IsCompleted);
        Add(queue, 1);
        var flushed = queue.FlushAsync();
        Add(queue, 2);
        TakeAll(queue);
        Assert.False(flushed.IsCompleted);

        queue.Confirm(queue.Flights, 1, multiple: false, isTaken: true);

        await flushed.InTime();
        Assert.Equal(1, queue.Counts.Pending);
    }

    [Fact]
    public async Task A_flush_whose_messages_are_thrown_away_says_so()
    {
        var queue = new PublishQueue(Room, confirms: true);
        Add(queue, 1);
        var flushed = queue.FlushAsync();

        queue.Dispose();

        Assert.Contains("while 1 messages were not confirmed", (await Assert.ThrowsAsync<ObjectDisposedException>(() => flushed)).Message);
        Assert.Equal((0, 1), (queue.Counts.Pending, queue.Counts.Dropped));
    }

    [Theory]
    [InlineData(true)]
    [InlineData(false)]
    public void Messages_that_are_not_confirmed_at_the_end_are_counted_as_lost(bool isReopened)
    {
        var queue = new PublishQueue(Room, confirms: true);
        queue.Open();
        Add(queue, 1);
        Add(queue, 2);
        TakeAll(queue);
        queue.Confirm(queue.Flights, 1, multiple: false, isTaken: true);
        Add(queue, 3);
        if (isReopened)
        {
            queue.Close();
            queue.Open();
            Assert.True(queue.TryTake(null, 0, out _));
        }

        queue.Dispose();
        queue.Dispose();

        Assert.Equal((0, 1, 2), (queue.Counts.Pending, queue.Counts.Confirmed, queue.Counts.Dropped));
    }

    [Fact]
    public void Small_messages_that_are_not_confirmed_keep_no_large_ones_memory()
    {
        const int MaxBytes = 1024 * 1024;
        var queue = new PublishQueue(MaxBytes, confirms: true);
        queue.Open();
        Add(queue, 255);
        TakeAll(queue);
        queue.Confirm(queue.Flights, 1, multiple: false, isTaken: true);
        var large = new byte[250_000];
        for (var number = 0; number < 99; number++)
        {
            Add(queue, number);
            Assert.Equal(SendStatus.Sent, queue.TryAdd(large, "topic", OutgoingKind.Event, isSecret: false));
            TakeAll(queue);
            queue.Confirm(queue.Flights, 2UL * (ulong)number + 3, multiple: false, isTaken: true);
        }

        Assert.Equal(99, queue.Counts.Pending);
        Assert.InRange(queue.Counts.HeldBytes, 1, 3 * MaxBytes);
        queue.Close();
        queue.Open();
        var first = TakeAll(queue);
        queue.Confirm(queue.Flights, 1, multiple: false, isTaken: true);
        Assert.Equal(Enumerable.Range(0, 99), first.Concat(TakeAll(queue)).Select(static one => one.Message)); // where they were moved to
        queue.Dispose();
        Assert.Equal(0, queue.Counts.HeldBytes);
    }

    [Fact]
    public void Secrets_are_zeroed_when_they_are_done()
    {
        var queue = new PublishQueue(Room, confirms: false);
        queue.Open();
        queue.TryAdd([1, 2, 3, 4], "topic", OutgoingKind.Event, isSecret: true);
        Assert.True(queue.TryTake(null, 0, out var taken));
        Assert.Equal([1, 2, 3, 4], taken.Body.ToArray());

        queue.Finish(in taken);

        Assert.Equal([0, 0, 0, 0], taken.Body.ToArray());
    }
}
