using Reloaded.Messaging.Hosting;
using Reloaded.Messaging.Tests.Support;
using Reloaded.Messaging.Wire;
using Xunit;

namespace Reloaded.Messaging.Tests.Pumping;

/// <summary>The bytes of messages that wait for a pump, also of peers that are gone.</summary>
public sealed class PumpBytesTests
{
    private const int MaxBytes = 1000;

    private readonly PeerQueues<MessageContext> _queue = new(capacity: 1000, MaxBytes, maxPeers: 1000);

    [Fact]
    public void Messages_of_many_peers_with_one_message_each_take_at_most_twice_the_bytes()
    {
        var taken = 0;
        while (taken < 100 && Add(300) is null)
            taken++;

        Assert.InRange(_queue.Count * 301, MaxBytes, 2 * MaxBytes);
    }

    [Fact]
    public async Task Peer_without_a_message_gets_one_in_once_the_bytes_are_within_the_limit()
    {
        var flooding = new PeerQueue();
        for (var i = 0; i < 8; i++)
            Assert.Null(Add(99, flooding));
        for (var i = 0; i < 2; i++)
            Assert.Null(Add(499));
        var room = Add(499);
        Assert.NotNull(room);

        for (var i = 0; i < 4; i++)
            Take(); // one of the flood, two of the others, and one more of the flood

        await room.InTime();
        Assert.Null(Add(499));
    }

    [Fact]
    public void Message_larger_than_the_limit_is_taken_while_the_bytes_are_within_the_limit()
    {
        Assert.Null(Add(MaxBytes - 1));
        Assert.Null(Add(5 * MaxBytes));
        Assert.NotNull(Add(1));
    }

    private Task? Add(int payload, PeerQueue? queue = null) =>
        _queue.Add(queue ?? new PeerQueue(), new MessageWriter().PackRaw(new MessageHeader(1, MessageKind.Event), new byte[payload]), default);

    private void Take()
    {
        Assert.True(_queue.TryTake(out var message, out _));
        message.Dispose();
    }
}
