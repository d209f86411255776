using System.Collections.Generic;
using System.Linq;
using System.Threading.Tasks;
using Reloaded.Messaging.Hosting;
using Reloaded.Messaging.Hosting.RabbitMQ;
using Reloaded.Messaging.Tests.Support;
using Xunit;

namespace Reloaded.Messaging.Tests.Publishing;

/// <summary>Messages that a full queue refused, with the test's own clock.</summary>
public sealed class RefusedMessagesTests
{
    private readonly PublishQueue _queue = new(1 << 20, confirms: true);
    private ulong _sent;
    private int _channels;

    public RefusedMessagesTests() => _queue.Open();

    [Fact]
    public void Retry_of_a_queue_that_stays_full_offers_one_message_and_waits_up_to_5_s()
    {
        Add("full");
        TakeAll(isTaken: true);
        for (var number = 0; number < 50; number++)
            Add("full");
        TakeAll(isTaken: false);
        var waits = new List<long>();
        long now = 0;
        for (var round = 0; round < 10; round++)
        {
            var next = Retry(now);
            waits.Add(next - now);
            Assert.Empty(TakeAll(isTaken: false));
            now = next;
            Retry(now);
            Assert.Equal(["full 2"], TakeAll(isTaken: false));
        }

        Assert.Equal([100, 200, 400, 800, 1600, 3200, 5000, 5000, 5000, 5000], waits);
        Assert.Equal((60, 50), (_queue.Counts.Rejected, _queue.Counts.Pending));
    }

    [Fact]
    public void Messages_of_a_refused_topic_wait_in_order_and_others_go_on()
    {
        Add("full");
        Add("full");
        TakeAll(isTaken: false);
        Add("full");
        Add("free");

        Assert.Equal(["free 1"], TakeAll(isTaken: true));
        Retry(0);
        var order = new List<string>();
        for (var step = 0; step < 4; step++)
        {
            Retry(100);
            order.AddRange(TakeAll(isTaken: true));
        }

        Assert.Equal(["full 1", "full 2", "full 3"], order);
        Assert.Equal(0, _queue.Counts.Pending);
        Add("full");
        Assert.Equal(["full 4"], TakeAll(isTaken: true));
    }

    [Fact]
    public void New_messages_of_a_stalled_topic_are_offered_once_each()
    {
        Add("full");
        TakeAll(isTaken: false);
        Add("full");
        long now = 0;
        for (var round = 0; round < 3; round++)
        {
            Assert.Equal(0, _queue.Counts.Stalled);
            now = Retry(now);
            Retry(now);
            Assert.Equal(["full 1"], TakeAll(isTaken: false));
        }

        Retry(now);
        Assert.Equal(["full 2"], TakeAll(isTaken: false));
        Add("full");
        Assert.Equal(["full 3"], TakeAll(isTaken: false));
        Assert.Empty(TakeAll(isTaken: false));
        Assert.Equal(1, _queue.Counts.Stalled);
        Assert.True(_queue.TryTakeNotice(out var notice));
        Assert.Equal(new PublishNotice("full", 0, 2, null), notice);
        Assert.False(_queue.TryTakeNotice(out _));
    }

    [Fact]
    public async Task Refused_messages_take_as_much_room_again_and_only_their_topic_is_Full()
    {
        while (Add("full") == SendStatus.Sent)
            TakeAll(isTaken: false);
        var waiting = _queue.WaitForRoomAsync(1, "full");

        Assert.False(waiting.IsCompleted);
        Assert.Equal((SendStatus.Sent, SendStatus.Full), (Add("free"), Add("full")));
        Assert.True(_queue.WaitForRoomAsync(1, "free").IsCompleted);
        TakeAll(isTaken: true);
        long now = 0;
        while (_queue.Counts.Pending > 0)
        {
            now += 5000;
            Retry(now);
            TakeAll(isTaken: true);
        }

        await waiting.InTime();
        Assert.Equal(SendStatus.Sent, Add("full"));
    }

    [Fact]
    public async Task Flush_waits_for_refused_messages()
    {
        Add("full");
        TakeAll(isTaken: false);
        var flushed = _queue.FlushAsync();

        Assert.False(flushed.IsCompleted);
        Retry(0);
        Retry(100);
        TakeAll(isTaken: true);

        await flushed.InTime();
    }

    [Fact]
    public void Refused_messages_are_kept_over_a_lost_connection()
    {
        for (var number = 0; number < 3; number++)
            Add("full");
        TakeAll(isTaken: false);
        Retry(0);
        Retry(100);
        Assert.True(_queue.TryTake(null, 0, out _)); // lost before the broker answers

        _queue.Close();
        _queue.Open();
        _sent = 0;
        var order = new List<string>();
        for (var step = 0; step < 5; step++)
        {
            Retry(100);
            order.AddRange(TakeAll(isTaken: true));
        }

        Assert.Equal(["full 1", "full 2", "full 3"], order);
        Assert.Equal(0, _queue.Counts.Pending);
    }

    [Fact]
    public void Message_that_closes_the_channel_twice_is_put_aside_and_the_others_are_sent()
    {
        foreach (var topic in "ab") // known on the channel from now on
        {
            Add($"{topic}");
            TakeAll(isTaken: true);
        }

        foreach (var topic in "aabaa")
            Add($"{topic}");
        for (var count = 0; count < 5; count++)
            Assert.True(_queue.TryTake(null, 0, out _));
        var flushed = _queue.FlushAsync();

        _queue.Interrupt(_queue.Flights, "ACCESS_REFUSED", isTopic: true);
        _sent = 0;
        Assert.Equal(["a 2", "a 3"], [TakeOne(), TakeOne()]);
        Assert.True(_queue.TryTake(null, 0, out var suspect));
        Assert.False(_queue.TryTake(null, 0, out _)); // alone, until the broker answers
        Assert.Equal("b", suspect.Head.Key);
        _queue.Interrupt(_queue.Flights, "ACCESS_REFUSED", isTopic: true);
        _sent = 0;

        Assert.Equal(["a 4", "a 5"], [TakeOne(), TakeOne()]);
        Add("b");
        Assert.Empty(TakeAll(isTaken: true));
        Assert.Equal((2, 0), (_queue.Counts.Refused, _queue.Counts.Pending));
        Assert.True(flushed.IsFaulted);
        _queue.Close();
        _queue.Open();
        _sent = 0;
        Add("b");
        Assert.Equal(["b 4"], TakeAll(isTaken: true)); // a new connection may have other rights

        string TakeOne()
        {
            Assert.True(_queue.TryTake(null, 0, out var next));
            _queue.Confirm(_queue.Flights, ++_sent, multiple: false, isTaken: true);
            return $"{next.Head.Key} {next.Head.Number}";
        }
    }

    [Fact]
    public void Stalled_topic_that_is_refused_again_ends_the_channel_when_the_other_publications_are_confirmed()
    {
        Add("full");
        TakeAll(isTaken: false);
        long now = 0;
        for (var round = 0; round < 3; round++)
        {
            Assert.Equal(0, _channels);
            now = Retry(now);
            Retry(now);
            TakeAll(isTaken: false);
        }

        Add("free");
        Assert.True(_queue.TryTake(null, 0, out _));
        Retry(now);
        Add("free");

        Assert.False(_queue.TryTake(null, 0, out _)); // the channel publishes nothing more
        Assert.Equal(0, _channels);
        _queue.Confirm(_queue.Flights, ++_sent, multiple: false, isTaken: true);
        now = Retry(now);
        Assert.Equal(1, _channels);
        Assert.Equal(["free 2"], TakeAll(isTaken: true));
        Retry(now);
        Assert.Equal(["full 1"], TakeAll(isTaken: true));
        Retry(now);
        Assert.Equal((0, 1), (_queue.Counts.Stalled, _channels));
    }

    private SendStatus Add(string topic) => _queue.TryAdd([1], topic, OutgoingKind.Event, isSecret: false);

    /// <summary>Offers refused messages again, and replaces the channel as the publisher does.</summary>
    private long Retry(long now)
    {
        var next = _queue.Retry(now);
        if (_queue.TryEndChannel())
        {
            _channels++;
            _sent = 0;
        }

        return next;
    }

    private List<string> TakeAll(bool isTaken)
    {
        var all = new List<string>();
        while (_queue.TryTake(null, 0, out var next))
            all.Add($"{next.Head.Key} {next.Head.Number}");
        foreach (var _ in all)
            _queue.Confirm(_queue.Flights, ++_sent, multiple: false, isTaken);
        return all;
    }
}
