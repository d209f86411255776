using System;
using System.Collections.Generic;
using Reloaded.Messaging.Hosting;
using Reloaded.Messaging.Hosting.RabbitMQ;
using Xunit;

namespace Reloaded.Messaging.Tests.Publishing;

/// <summary>A queue of messages whose broker does not confirm the messages of one topic. The test tells the time.</summary>
public sealed class EarlierChannelsTests
{
    private const int Room = 1 << 20;

    private readonly PublishQueue _queue = new(Room, confirms: true);
    private readonly Dictionary<UnconfirmedFlights, ulong> _published = [];

    public EarlierChannelsTests() => _queue.Open();

    /// <summary>A time at which the broker has been silent for too long.</summary>
    private static long Late => Environment.TickCount64 + 1000;

    [Fact]
    public void First_message_of_a_topic_on_a_channel_is_alone_until_the_broker_replies()
    {
        Introduce("known");
        foreach (var topic in (string[])["new", "new", "known", "known"])
            Add(topic);

        Assert.Equal(["new 1"], TakeAll());
        Confirm(_queue.Flights, 2);

        Assert.Equal(["new 2", "known 2", "known 3"], TakeAll());
    }

    [Fact]
    public void Topics_beyond_32_in_a_second_do_not_wait_for_each_other()
    {
        for (var number = 0; number < 100; number++)
            Add($"{number}");

        var takes = 0;
        for (var taken = 0; taken < 100; takes++)
        {
            taken += TakeAll().Count;
            _queue.Confirm(_queue.Flights, _published[_queue.Flights], multiple: true, isTaken: true);
        }

        Assert.InRange(takes, 32, 99); // a slow machine begins another second
    }

    [Fact]
    public void Publications_stop_200_after_the_oldest_unconfirmed_one()
    {
        Introduce("one");
        for (var number = 0; number < 500; number++)
            Add("one");

        Assert.Equal(UnconfirmedFlights.Window, TakeAll().Count);
        for (ulong flight = 3; flight <= UnconfirmedFlights.Window + 1; flight++)
            Confirm(_queue.Flights, flight);
        Assert.Empty(TakeAll());
        Confirm(_queue.Flights, 2);

        Assert.Equal(UnconfirmedFlights.Window, TakeAll().Count);
    }

    [Fact]
    public void Other_topics_continue_over_another_channel_and_the_silent_one_later_in_order_without_marks()
    {
        Introduce("free");
        Add("silent");
        TakeAll();
        Add("silent");
        Add("free");
        Assert.False(_queue.TryLeaveChannel(Environment.TickCount64));
        var earlier = _queue.Flights;

        Assert.True(_queue.TryLeaveChannel(Late));

        Assert.Equal(["free 2"], TakeAll());
        Confirm(_queue.Flights, 1);
        Add("silent");
        Assert.Empty(TakeAll());
        Assert.Equal(3, _queue.Counts.Pending);
        Assert.True(Confirm(earlier, 2)); // the channel is needed no longer
        Assert.Equal(["silent 2"], TakeAll());
        Confirm(_queue.Flights, 2);
        Assert.Equal(["silent 3"], TakeAll());
        Confirm(_queue.Flights, 3);
        Assert.Equal((0L, 0L, 5L), (_queue.Counts.Pending, _queue.Counts.Resent, _queue.Counts.Confirmed));
    }

    [Fact]
    public void Publications_behind_those_of_the_silent_topic_keep_their_topics_on_the_channel()
    {
        Introduce("silent");
        Introduce("behind");
        foreach (var topic in (string[])["silent", "behind"])
            Add(topic);
        TakeAll();
        foreach (var topic in (string[])["behind", "free"])
            Add(topic);
        var earlier = _queue.Flights;

        Assert.True(_queue.TryLeaveChannel(Late));

        Assert.Equal(["free 1"], TakeAll());
        Confirm(_queue.Flights, 1);
        Assert.False(Confirm(earlier, 4));
        Assert.Equal(["behind 3"], TakeAll());
        Assert.True(Confirm(earlier, 3));
    }

    [Fact]
    public void Channel_stays_while_no_other_topic_waits()
    {
        Add("silent");
        TakeAll();
        Add("silent");

        Assert.False(_queue.TryLeaveChannel(Late));
        Add("free");
        _queue.Block(true);
        Assert.False(_queue.TryLeaveChannel(Late)); // the broker reads nothing
        _queue.Block(false);
        Assert.True(_queue.TryLeaveChannel(Late));
    }

    [Theory]
    [InlineData("free", "silent")]
    [InlineData("silent", "free")]
    public void Queue_remembers_another_topic_without_room_beside_the_silent_one(string first, string second)
    {
        Introduce("silent");
        var large = new byte[100_000];
        while (_queue.TryAdd(large, "silent", OutgoingKind.Event, isSecret: false) == SendStatus.Sent)
        {
        }

        Assert.Equal(SendStatus.Full, _queue.TryAdd(large, first, OutgoingKind.Event, isSecret: false));
        Assert.Equal(SendStatus.Full, _queue.TryAdd(large, second, OutgoingKind.Event, isSecret: false));
        TakeAll(); // none was published before

        Assert.True(_queue.TryLeaveChannel(Late));
    }

    [Fact]
    public void Silent_topic_takes_the_room_of_refused_messages_and_only_that_topic_is_Full()
    {
        Introduce("silent");
        var large = new byte[100_000];
        while (_queue.TryAdd(large, "silent", OutgoingKind.Event, isSecret: false) == SendStatus.Sent)
            TakeAll();
        Assert.Equal(SendStatus.Full, _queue.TryAdd(large, "free", OutgoingKind.Event, isSecret: false));
        Assert.Equal(SendStatus.Full, _queue.TryAdd(large, "silent", OutgoingKind.Event, isSecret: false));

        Assert.True(_queue.TryLeaveChannel(Late)); // since a message of another topic found no room

        Assert.Equal(SendStatus.Full, _queue.TryAdd(large, "silent", OutgoingKind.Event, isSecret: false));
        Assert.Equal(SendStatus.Sent, _queue.TryAdd(large, "free", OutgoingKind.Event, isSecret: false));
    }

    [Fact]
    public void Lost_connection_repeats_the_messages_of_earlier_channels_with_marks_before_the_later_ones()
    {
        LeaveSilent(count: 2);
        TakeAll();
        Confirm(_queue.Flights, 1);
        Add("silent");
        Assert.Empty(TakeAll());

        _queue.Close();
        _queue.Open();

        Assert.Equal(["silent 2, repeated"], TakeAll());
        Confirm(_queue.Flights, 1);
        Assert.Equal(["silent 3, repeated", "silent 4"], TakeAll());
    }

    [Fact]
    public void Broker_that_closes_an_earlier_channel_gets_its_messages_one_at_a_time_with_marks()
    {
        var earlier = LeaveSilent(count: 2);
        TakeAll();
        Confirm(_queue.Flights, 1);

        _queue.Interrupt(earlier, "ACCESS_REFUSED", isTopic: true);
        _queue.Interrupt(earlier, "ACCESS_REFUSED", isTopic: true); // reported twice

        Assert.Equal(["silent 2, repeated"], TakeAll());
        Confirm(_queue.Flights, 2);
        Assert.Equal(["silent 3, repeated"], TakeAll());
        Assert.Equal(2, _queue.Counts.Resent);
    }

    [Fact]
    public void Refused_message_of_an_earlier_channel_is_offered_again_before_the_later_ones()
    {
        var earlier = LeaveSilent(count: 1);
        Add("silent");
        TakeAll();
        Confirm(_queue.Flights, 1);

        Assert.True(_queue.Confirm(earlier, 2, multiple: false, isTaken: false));

        Assert.Empty(TakeAll());
        _queue.Retry(0);
        _queue.Retry(100);
        Assert.Equal(["silent 2, repeated"], TakeAll());
        Confirm(_queue.Flights, 2);
        _queue.Retry(100);
        Assert.Equal(["silent 3"], TakeAll());
    }

    [Fact]
    public void Topic_that_stays_silent_is_reported_once_and_counted_until_the_broker_confirms()
    {
        var earlier = LeaveSilent(count: 1);
        _queue.CheckSilence(Late); // just left
        Assert.Equal(0, _queue.Counts.Stalled);

        _queue.CheckSilence(Late + 1000);
        _queue.CheckSilence(Late + 2000);

        Assert.True(_queue.TryTakeNotice(out var notice));
        Assert.Equal(new PublishNotice("silent", 0, 1, null), notice);
        Assert.False(_queue.TryTakeNotice(out _));
        Assert.Equal(1, _queue.Counts.Stalled);
        Confirm(earlier, 2);
        Assert.Equal(0, _queue.Counts.Stalled);
    }

    [Fact]
    public void Queue_leaves_at_most_64_channels()
    {
        for (var channel = 0; channel < EarlierChannels.Max; channel++)
        {
            Add($"silent {channel}");
            TakeAll();
            Add("free");
            Assert.True(_queue.TryLeaveChannel(Late));
            TakeAll();
            Confirm(_queue.Flights, 1);
        }

        Add("one too many");
        TakeAll();
        Add("free");

        Assert.False(_queue.TryLeaveChannel(Late));
    }

    [Fact]
    public void Disposed_queue_returns_the_memory_of_silent_topics()
    {
        LeaveSilent(count: 2);
        Add("silent");
        TakeAll();
        var unconfirmed = _queue.Counts.Pending;

        _queue.Dispose();

        Assert.Equal((0L, 0L, unconfirmed), (_queue.Counts.Pending, _queue.Counts.HeldBytes, _queue.Counts.Dropped));
    }

    [Fact]
    public void Messages_of_silent_topics_keep_their_bytes_when_segments_are_compacted()
    {
        var queue = new PublishQueue(64 * 1024, confirms: true);
        queue.Open();
        queue.TryAdd([1], "silent", OutgoingKind.Event, isSecret: false);
        Assert.True(queue.TryTake(null, 0, out _));
        queue.TryAdd([2], "silent", OutgoingKind.Event, isSecret: false);
        queue.TryAdd([9], "free", OutgoingKind.Event, isSecret: false);
        var earlier = queue.Flights;
        Assert.True(queue.TryLeaveChannel(Late));
        var large = new byte[60_000];
        for (ulong flight = 1; flight < 50; flight++)
        {
            Assert.True(queue.TryTake(null, 0, out _));
            queue.Confirm(queue.Flights, flight, multiple: false, isTaken: true);
            queue.TryAdd(large, "free", OutgoingKind.Event, isSecret: false);
        }

        Assert.InRange(queue.Counts.HeldBytes, 1, 1 << 19);
        queue.Confirm(queue.Flights, 50, multiple: true, isTaken: true);
        queue.Confirm(earlier, 1, multiple: false, isTaken: true);
        Assert.True(queue.TryTake(null, 0, out var held));
        Assert.Equal([2], held.Body.ToArray());
    }

    /// <summary>Leaves a channel over which a number of messages of a topic were published after a confirmed one. A message of another topic waits.</summary>
    private UnconfirmedFlights LeaveSilent(int count)
    {
        var earlier = _queue.Flights;
        Introduce("silent");
        for (var number = 0; number < count; number++)
            Add("silent");
        TakeAll();
        Add("free");
        Assert.True(_queue.TryLeaveChannel(Late));
        return earlier;
    }

    private void Introduce(string topic)
    {
        Add(topic);
        TakeAll();
        Confirm(_queue.Flights, _published[_queue.Flights]);
    }

    private void Add(string topic) => Assert.Equal(SendStatus.Sent, _queue.TryAdd([1], topic, OutgoingKind.Event, isSecret: false));

    private bool Confirm(UnconfirmedFlights channel, ulong flight) => _queue.Confirm(channel, flight, multiple: false, isTaken: true);

    private List<string> TakeAll()
    {
        var all = new List<string>();
        while (_queue.TryTake(null, 0, out var next))
        {
            all.Add($"{next.Head.Key} {next.Head.Number}{(next.Head.IsRepeated ? ", repeated" : "")}");
            _published[_queue.Flights] = next.Flight;
        }

        return all;
    }
}
