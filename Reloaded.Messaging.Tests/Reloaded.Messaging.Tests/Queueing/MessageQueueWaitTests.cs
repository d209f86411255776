using System.Linq;
using Reloaded.Messaging.Tests.Support;
using Xunit;

namespace Reloaded.Messaging.Tests.Queueing;

public sealed class MessageQueueWaitTests : IDisposable
{
    private readonly MessageQueue<string> _queue = new(1, FullMode.Wait);

    public void Dispose() => _queue.Dispose();

    [Fact]
    public async Task A_message_that_fits_is_queued_at_once()
    {
        var adding = _queue.EnqueueAsync(Numbered.Pack(1), "me").AsTask();

        Assert.True(adding.IsCompletedSuccessfully);
        Assert.Equal(EnqueueStatus.Enqueued, await adding);
        Assert.Equal(0, _queue.Waited);
        Assert.Equal([1], Received.Drain(_queue));
    }

    [Fact]
    public async Task A_message_waits_until_a_pump_makes_room()
    {
        _queue.Enqueue(Numbered.Pack(1), "me");

        var waiting = _queue.EnqueueAsync(Numbered.Pack(2), "me").AsTask();
        Assert.False(waiting.IsCompleted);
        Assert.Equal((0, 1), (_queue.Rejected, _queue.Waited));

        Assert.Equal([1], Received.Drain(_queue));
        Assert.Equal(EnqueueStatus.Enqueued, await waiting.InTime());
        Assert.Equal([2], Received.Drain(_queue));
    }

    [Fact]
    public async Task A_producer_that_waits_after_an_earlier_wait_has_ended_does_not_block_its_thread()
    {
        _queue.Enqueue(Numbered.Pack(1), "me");
        var first = _queue.EnqueueAsync(Numbered.Pack(2), "me").AsTask();
        Assert.Equal([1], Received.Drain(_queue));
        Assert.Equal(EnqueueStatus.Enqueued, await first.InTime());

        // The call itself must return, although no pump has made room again.
        var second = await Deadline.RunAside(() => new { Waiting = _queue.EnqueueAsync(Numbered.Pack(3), "me").AsTask() }).InTime();

        Assert.False(second.Waiting.IsCompleted);
        Assert.Equal([2], Received.Drain(_queue));
        Assert.Equal(EnqueueStatus.Enqueued, await second.Waiting.InTime());
    }

    [Fact]
    public async Task Several_producers_wait_and_all_get_in()
    {
        _queue.Enqueue(Numbered.Pack(0), "me");
        var waiting = Enumerable.Range(1, 5).Select(i => _queue.EnqueueAsync(Numbered.Pack(i), "me").AsTask()).ToList();
        Assert.Equal(5, _queue.Waited);

        int[] received = Received.Drain(_queue);
        while (waiting.Count > 0)
        {
            var done = await Task.WhenAny(waiting).InTime();
            Assert.Equal(EnqueueStatus.Enqueued, await done);
            waiting.Remove(done);
            received = [.. received, .. Received.Drain(_queue)];
        }

        Assert.Equal([0, 1, 2, 3, 4, 5], received.Order());
    }

    [Fact]
    public async Task A_canceled_wait_leaves_the_message_with_its_producer()
    {
        _queue.Enqueue(Numbered.Pack(1), "me");
        using var message = Numbered.Pack(2);
        using var source = new CancellationTokenSource();

        var waiting = _queue.EnqueueAsync(message, "me", source.Token).AsTask();
        Assert.False(waiting.IsCompleted);
        await source.CancelAsync();

        var error = await Assert.ThrowsAnyAsync<OperationCanceledException>(() => waiting.InTime());
        Assert.Equal(source.Token, error.CancellationToken);
        Assert.False(message.IsReleased);
        Assert.Equal([1], Received.Drain(_queue));
        Assert.Empty(Received.Drain(_queue));
    }

    [Fact]
    public async Task A_canceled_token_queues_nothing_even_where_there_is_room()
    {
        using var message = Numbered.Pack(1);

        await Assert.ThrowsAnyAsync<OperationCanceledException>(async () => await _queue.EnqueueAsync(message, "me", new CancellationToken(canceled: true)));

        Assert.False(message.IsReleased);
        Assert.Equal(0, _queue.Count);
    }

    [Fact]
    public async Task Dispose_ends_the_waits_and_leaves_the_messages_with_their_producers()
    {
        _queue.Enqueue(Numbered.Pack(0), "me");
        using var first = Numbered.Pack(1);
        using var second = Numbered.Pack(2);
        var waiting = Task.WhenAll(_queue.EnqueueAsync(first, "me").AsTask(), _queue.EnqueueAsync(second, "me").AsTask());
        Assert.False(waiting.IsCompleted);

        _queue.Dispose();

        Assert.Equal([EnqueueStatus.Closed, EnqueueStatus.Closed], await waiting.InTime());
        Assert.False(first.IsReleased);
        Assert.False(second.IsReleased);
    }

    [Fact]
    public async Task A_pump_whose_handler_throws_makes_room_all_the_same()
    {
        _queue.Enqueue(Numbered.Pack(1), "me");
        var waiting = _queue.EnqueueAsync(Numbered.Pack(2), "me").AsTask();
        var dispatcher = new MessageDispatcher<string>();
        dispatcher.Register(Numbered.Contract, static (in Numbered _, ref string _) => throw new InvalidTimeZoneException());

        Assert.Throws<InvalidTimeZoneException>(() => { _queue.Pump(dispatcher, PumpBudget.All); });

        Assert.Equal(EnqueueStatus.Enqueued, await waiting.InTime());
    }
}
