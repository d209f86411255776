using Reloaded.Messaging.Hosting;
using Reloaded.Messaging.Tests.Support;
using Reloaded.Messaging.Wire;
using Xunit;

namespace Reloaded.Messaging.Tests.Pumping;

[Quiet]
public sealed class PeerQueuesTests
{
    private readonly MessageWriter _writer = new();

    [Fact]
    public void TryTake_takes_one_message_of_each_peer_in_turn()
    {
        var queue = new PeerQueues<MessageContext>(100, 10_000, 10);
        var (a, b, c) = (new PeerQueue(), new PeerQueue(), new PeerQueue());
        foreach (var (peer, id) in new[] { (a, 1u), (a, 2u), (a, 3u), (b, 11u), (b, 12u), (c, 21u) })
            Assert.Null(Add(queue, peer, id));

        Assert.Equal([1u, 11u, 21u, 2u, 12u, 3u], TakeAll(queue));
        Assert.Equal(0, queue.Count);
    }

    [Fact]
    public void Add_of_one_peer_leaves_a_ninth_of_the_room_to_others()
    {
        var queue = new PeerQueues<MessageContext>(90, 100_000, 10);
        var (one, other) = (new PeerQueue(), new PeerQueue());

        var added = 0;
        while (Add(queue, one, (uint)added) is null)
            added++;

        Assert.InRange(added, 80, 81);
        for (var i = 0u; i < 5; i++)
            Assert.Null(Add(queue, other, i));
        queue.Close();
    }

    [Fact]
    public async Task Add_that_found_no_room_is_woken_when_half_of_the_peers_messages_are_taken()
    {
        var queue = new PeerQueues<MessageContext>(8, 100_000, 10);
        var peer = new PeerQueue();
        Task? room = null;
        while (room is null)
            room = Add(queue, peer, 1);

        Assert.Equal(8, queue.Count);
        Take(queue, 3);
        Assert.False(room.IsCompleted);
        Take(queue, 1);
        await room.InTime();
        Assert.Null(Add(queue, peer, 1));
        queue.Close();
    }

    [Fact]
    public async Task Add_past_the_capacity_takes_one_message_for_each_of_the_most_peers()
    {
        var queue = new PeerQueues<MessageContext>(1, 100, 3);
        var late = new PeerQueue();
        for (var i = 0; i < 3; i++)
            Assert.Null(Add(queue, new PeerQueue(), 1));

        var room = Add(queue, late, 1);
        Assert.False(room!.IsCompleted);
        Take(queue, 1);
        await room.InTime();
        Assert.Null(Add(queue, late, 1));
        queue.Close();
    }

    [Fact]
    public async Task Close_releases_what_waits_and_wakes_the_peers()
    {
        var queue = new PeerQueues<MessageContext>(2, 100_000, 1);
        var (peer, late) = (new PeerQueue(), new PeerQueue());
        Assert.Null(Add(queue, peer, 1));
        Assert.Null(Add(queue, peer, 1));
        var (room, lateRoom) = (Add(queue, peer, 1)!, Add(queue, late, 1)!);

        Assert.Equal(2, queue.Close().Count);

        await Task.WhenAll(room, lateRoom).InTime();
        Assert.Throws<OperationCanceledException>(AddLate);
        Assert.Equal(0, queue.Count);

        void AddLate() => _ = Add(queue, peer, 1);
    }

    [Fact]
    public void Add_and_TryTake_allocate_nothing_once_the_queue_has_grown()
    {
        var queue = new PeerQueues<MessageContext>(1000, 1_000_000, 10);
        var peers = new[] { new PeerQueue(), new PeerQueue(), new PeerQueue() };

        Assert.Equal(0, Allocation.OfThousand(() =>
        {
            foreach (var peer in peers)
            {
                for (var i = 0u; i < 10; i++)
                    Add(queue, peer, i);
            }

            Take(queue, 30);
        }));
    }

    private Task? Add(PeerQueues<MessageContext> queue, PeerQueue peer, uint correlationId)
    {
        var message = _writer.PackRaw(new MessageHeader(1, MessageKind.Event), [1, 2, 3, 4]);
        var isAdded = false;
        try
        {
            var room = queue.Add(peer, message, new MessageContext(null!, 0, MessageKind.Event, 1, correlationId));
            isAdded = room is null;
            return room;
        }
        finally
        {
            if (!isAdded)
                message.Dispose(); // still the adder's
        }
    }

    private static void Take(PeerQueues<MessageContext> queue, int count)
    {
        for (var i = 0; i < count; i++)
        {
            Assert.True(queue.TryTake(out var message, out _));
            message.Dispose();
        }
    }

    private static List<uint> TakeAll(PeerQueues<MessageContext> queue)
    {
        var ids = new List<uint>();
        while (queue.TryTake(out var message, out var delivery))
        {
            ids.Add(delivery.CorrelationId);
            message.Dispose();
        }

        return ids;
    }
}
