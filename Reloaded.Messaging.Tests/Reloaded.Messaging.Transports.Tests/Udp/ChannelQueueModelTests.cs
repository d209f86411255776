using System.Buffers.Binary;
using System.Diagnostics.CodeAnalysis;
using System.Linq;
using Reloaded.Messaging.Tests.Support;
using Reloaded.Messaging.Wire;
using Xunit;

namespace Reloaded.Messaging.Tests.Udp;

/// <summary>The queues of a channel over UDP, compared with one list of messages for each order.</summary>
public sealed class ChannelQueueModelTests
{
    private const int Steps = 400;

    /// <summary>Random messages, datagrams that are lost, doubled and reordered, reads, flushes and ends.</summary>
    [Fact]
    public void UdpChannel_has_a_queue_for_each_order() => ModelRun.Compare(100, Steps, static random => new World(random).Step);

    /// <summary>A datagram less; if it is lost, the reliable message is sent again.</summary>
    [Fact]
    public async Task Messages_of_both_kinds_share_a_datagram_whose_loss_costs_the_unreliable_one()
    {
        await using var path = new HeldDatagrams();
        Assert.True(path.Sender.TryQueue([1], Delivery.Unreliable, 100));
        Assert.True(path.Sender.TryQueue([2], Delivery.ReliableOrdered, 100));
        path.Sender.Flush();

        Assert.Single(path.Sent);
        path.Sent.Clear();
        path.Time.Advance(TimeSpan.FromSeconds(5));
        path.DeliverAll();
        Assert.Equal([1, 2], path.Received()); // the length, and the message
    }

    [Fact]
    public async Task Small_messages_share_datagrams_that_the_path_carries()
    {
        await using var path = new HeldDatagrams();
        var queued = 0;
        for (var i = 0; i < 2000; queued += 2 + (i++ % 7)) // the length, and the message
            Assert.True(path.Sender.TryQueue(new byte[1 + (i % 7)], Delivery.Unreliable, 100));
        path.Sender.Flush();

        Assert.InRange(path.Sent.Count, 2, (queued / 1000) + 1);
        Assert.All(path.Sent, static datagram => Assert.InRange(datagram.Length, 1, UdpOptions.Default.MaxDatagramSize));
        path.DeliverAll();
        Assert.Equal(queued, path.Received().Length);
    }

    [Fact]
    public async Task Messages_that_wait_at_the_end_are_counted()
    {
        await using var path = new HeldDatagrams();
        path.Sender.TryQueue([1], Delivery.Unreliable, 100);
        path.Sender.TryQueue([2], Delivery.Sequenced(0), 100);
        path.Sender.TryQueue([3], Delivery.ReliableOrdered, 100);
        path.Sender.Abort();

        Assert.Equal((2, 1), (path.SenderCounts.GetDropped(DatagramDropReason.NotSent), path.Sender.LostFrames));
    }

    [SuppressMessage("Design", "CA1001", Justification = "The channels have no sockets, and most worlds end in the middle of a connection.")]
    private sealed class World
    {
        private const int Goodbye = -1;

        private static readonly Delivery[] s_deliveries = [Delivery.Unreliable, Delivery.Sequenced(0), Delivery.Sequenced(1), Delivery.ReliableOrdered, Delivery.Reliable, Delivery.ReliableByType(0), Delivery.ReliableByType(1), Delivery.ReliableByType(14)];

        private readonly Random _random;
        private readonly HeldDatagrams _path = new();
        private readonly List<Message> _accepted = [];
        private readonly List<Task> _flushes = [];
        private readonly ulong[] _queued = new ulong[OrderedChannels.Count]; // the bytes of each order that were accepted
        private readonly ulong[] _sent = new ulong[OrderedChannels.Count];
        private readonly int _maxSize;
        private readonly double _loss;
        private byte[] _unread = [];
        private int _seen;
        private int _barriers;
        private int _bytesLeft;
        private bool _isSealed;
        private bool _isGoodbyeQueued;
        private bool _hasGoodbye;
        private bool _hasEnded;
        private int _steps;

        public World(Random random)
        {
            (_random, _maxSize, _loss) = (random, random.Pick([20, 300, 1000]), random.Pick([0, 0.1, 0.5]));
            _path.Sender.BytesLeft = () => _bytesLeft++;
        }

        private UdpChannel Sender => _path.Sender;

        public string Step()
        {
            if (++_steps == Steps)
                return Finish();
            var (pending, left) = (Sender.PendingBytes, _bytesLeft);
            var text = _random.Next(12) switch
            {
                < 4 => Queue(),
                4 => Flush(),
                5 or 6 => Deliver(),
                7 => Read(),
                8 when !_hasEnded => Await(),
                9 when _random.Next(60) == 0 => Seal(),
                10 when _random.Next(300) == 0 => End(),
                _ => Advance(),
            };
            NoteSent();
            Check();
            if (Sender.PendingBytes < pending && !text.StartsWith("Queue", StringComparison.Ordinal))
                Assert.NotEqual(left, _bytesLeft);
            return text;
        }

        private string Queue()
        {
            var (delivery, maxPending) = (_random.Pick(s_deliveries), _random.Pick([1, 1000, 100_000]));
            var isReliable = delivery.Mode >= DeliveryMode.ReliableOrdered;
            var message = new byte[sizeof(int) + _random.NextUpTo(isReliable && _random.Next(10) == 0 ? 20 * _maxSize : _maxSize)];
            BinaryPrimitives.WriteInt32LittleEndian(message, _accepted.Count);
            if (_hasEnded)
            {
                Assert.Throws<TransportClosedException>(() => Sender.TryQueue(message, delivery, maxPending));
                Assert.True(Sender.HasRoom(message.Length, delivery, maxPending));
                return "Queue after the end";
            }

            var order = OrderOf(delivery);
            var unsent = isReliable ? _queued[order] - _sent[order] : 0;
            var hasRoom = unsent == 0 || unsent + (ulong)message.Length <= (ulong)maxPending;
            Assert.Equal(hasRoom, Sender.HasRoom(message.Length, delivery, maxPending));
            var isAccepted = Sender.TryQueue(message, delivery, maxPending);
            Assert.Equal(hasRoom && !_isSealed, isAccepted);
            if (!isAccepted)
                return $"Queue {delivery} is full";
            _accepted.Add(new Message(delivery, message.Length, _barriers));
            _barriers += delivery.IsBarrier ? 1 : 0;
            if (isReliable)
                _queued[order] += (ulong)(UVarint.SizeOf((uint)message.Length) + message.Length);
            return $"Queue {message.Length} {delivery}";
        }

        private string Flush()
        {
            Sender.Flush();
            return "Flush";
        }

        private string Await()
        {
            var ends = (ulong[])_queued.Clone();
            var (isSealed, flush) = (_isSealed, Sender.FlushAsync());
            _flushes.Add(flush);
            NoteSent();
            if (flush.IsCompleted)
                CheckFlushed(ends, isSealed);
            else
                _waiting.Enqueue((flush, ends, isSealed));
            return "Flush and wait";
        }

        private readonly Queue<(Task Flush, ulong[] Ends, bool IsSealed)> _waiting = [];

        private string Deliver()
        {
            if (_path.Sent.Count == 0)
                return "Deliver nothing";
            var index = _random.Next(3) == 0 ? _random.Next(_path.Sent.Count) : 0;
            if (_random.NextDouble() < _loss)
            {
                _path.Sent.RemoveAt(index);
                _seen--;
                return "Lose";
            }

            if (_random.Next(10) == 0)
            {
                _path.Deliver(_path.Sent[index].AsSpan());
                return "Double";
            }

            _seen--;
            _path.LosesAnswers = _random.NextDouble() < _loss;
            _path.Deliver(index);
            _path.LosesAnswers = false;
            return "Deliver";
        }

        private string Read()
        {
            byte[] bytes = [.. _unread, .. _path.Received()];
            ReadOnlySpan<byte> rest = bytes;
            while (true)
            {
                var before = rest;
                if (Frame.TryRead(ref rest, int.MaxValue, out var message) != FrameStatus.Ok)
                {
                    _unread = before.ToArray();
                    return $"Read {bytes.Length - before.Length}";
                }

                Receive(BinaryPrimitives.ReadInt32LittleEndian(message), message.Length);
            }
        }

        private void Receive(int id, int size)
        {
            Assert.False(_hasGoodbye); // the goodbye is last
            if (id == Goodbye)
            {
                Assert.All(_accepted, static one => Assert.True(one.IsReceived || one.Delivery.Mode < DeliveryMode.ReliableOrdered));
                _hasGoodbye = true;
                return;
            }

            var received = _accepted[id];
            Assert.Equal((false, received.Size), (received.IsReceived, size));
            Assert.Equal(received.BarriersBefore, _accepted.Take(id).Count(static one => one is { Delivery.IsBarrier: true, IsReceived: true }));
            for (var other = 0; other < _accepted.Count; other++)
            {
                if (OrderOf(_accepted[other].Delivery) != OrderOf(received.Delivery) || received.Delivery.Mode == DeliveryMode.Unreliable)
                    continue;
                if (other > id || received.Delivery.Mode >= DeliveryMode.ReliableOrdered)
                    Assert.Equal(other < id, _accepted[other].IsReceived);
            }

            received.IsReceived = true;
        }

        private string Seal()
        {
            if (_isSealed || _hasEnded)
                return "";
            var goodbye = new byte[_random.Pick([4, 200])];
            BinaryPrimitives.WriteInt32LittleEndian(goodbye, Goodbye);
            Sender.Seal(goodbye);
            (_isSealed, _isGoodbyeQueued) = (true, true);
            _goodbyeSize = goodbye.Length;
            return "Seal";
        }

        private int _goodbyeSize;

        private string End()
        {
            Sender.Abort();
            _hasEnded = true;
            return "End";
        }

        private string Advance()
        {
            _path.Time.Advance(TimeSpan.FromMilliseconds(_random.Pick([1, 10, 100, 1000])));
            return "Wait";
        }

        /// <summary>Delivers everything that is sent. In a connection that has not ended, everything reliable arrives.</summary>
        private string Finish()
        {
            for (var i = 0; i < 3000 && !_hasEnded && (Sender.PendingBytes > 0 || Sender.Path!.Value.BytesInFlight > 0 || _accepted.Exists(static one => !one.IsReceived && one.Delivery.Mode >= DeliveryMode.ReliableOrdered)); i++)
            {
                _path.DeliverAll();
                _path.DeliverAnswers();
                Read();
                _path.Time.Advance(TimeSpan.FromMilliseconds(50));
            }

            NoteSent();
            _path.DeliverAll();
            Read();
            Assert.All(_flushes, static flush => Assert.True(flush.IsCompletedSuccessfully));
            Assert.Equal(0, Sender.PendingBytes);
            if (_hasEnded)
                return "Finish";
            Assert.Equal(_isSealed, _hasGoodbye);
            Assert.Equal(0, Sender.LostFrames);
            Assert.All(_accepted, static one => Assert.True(one.IsReceived || one.Delivery.Mode < DeliveryMode.ReliableOrdered));
            return "Finish";
        }

        /// <summary>Reads the datagrams that were sent since the last call.</summary>
        private void NoteSent()
        {
            for (; _seen < _path.Sent.Count; _seen++)
            {
                ReadOnlySpan<byte> body = _path.Sent[_seen].AsSpan(DatagramFormat.PlainHeader);
                while (!body.IsEmpty)
                {
                    Assert.True(DatagramReader.TryRead(ref body, out var part, out var content));
                    if (part != DatagramPart.Data)
                        continue;
                    var end = BinaryPrimitives.ReadUInt64LittleEndian(content.Slice(1)) + (ulong)(content.Length - DatagramFormat.DataHeader);
                    _sent[content[0]] = Math.Max(_sent[content[0]], end);
                }
            }

            if (_isGoodbyeQueued && _sent[0] > _queued[0])
            {
                _queued[0] += (ulong)(UVarint.SizeOf((uint)_goodbyeSize) + _goodbyeSize);
                _isGoodbyeQueued = false;
            }
        }

        private void Check()
        {
            if (_hasEnded)
            {
                Assert.Equal(0, Sender.PendingBytes);
                Assert.All(_flushes, static flush => Assert.True(flush.IsCompletedSuccessfully));
                return;
            }

            var reliable = (_isGoodbyeQueued ? _goodbyeSize : 0) + Enumerable.Range(0, OrderedChannels.Count).Sum(order => (long)(_queued[order] - _sent[order]));
            Assert.InRange(Sender.PendingBytes - reliable, 0, LooseSender.MaxBytes);
            if (!_accepted.Exists(static one => one.Delivery.Mode < DeliveryMode.ReliableOrdered))
                Assert.Equal(reliable, Sender.PendingBytes);
            while (_waiting.TryPeek(out var wait) && wait.Flush.IsCompleted)
            {
                CheckFlushed(wait.Ends, wait.IsSealed);
                _waiting.Dequeue();
            }

            Assert.All(_waiting, static wait => Assert.False(wait.Flush.IsCompleted));
            if (Sender.PendingBytes == 0)
                Assert.DoesNotContain(_waiting, static wait => !wait.IsSealed);
        }

        private void CheckFlushed(ulong[] ends, bool isSealed)
        {
            for (var order = 0; order < ends.Length; order++)
                Assert.True(_sent[order] >= ends[order]);
            if (!isSealed)
                return;
            Read();
            Assert.True(_hasGoodbye);
        }

        private static int OrderOf(Delivery delivery) => delivery.Mode switch
        {
            DeliveryMode.ReliableOrdered => 0,
            DeliveryMode.ReliableByType => 1 + delivery.Order,
            DeliveryMode.Sequenced => -2 - delivery.Order,
            _ => -1,
        };
    }

    private sealed record Message(Delivery Delivery, int Size, int BarriersBefore)
    {
        public bool IsReceived { get; set; }
    }
}
