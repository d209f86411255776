using System.Diagnostics.CodeAnalysis;
using System.Linq;
using Reloaded.Messaging.Hosting;
using Reloaded.Messaging.Tests.Connections;
using Reloaded.Messaging.Tests.Support;
using Xunit;

namespace Reloaded.Messaging.Tests.Models;

/// <summary>The outbox over datagrams behaves as one list of accepted messages, which are given to the channel in their order.</summary>
public sealed class OutboxModelTests
{
    private static readonly Delivery[] s_deliveries = [Delivery.Unreliable, Delivery.ReliableOrdered, Delivery.ReliableByType(0)];

    /// <summary>The model: the accepted messages, those that the channel has, and those of each order that have not left. The channel sends from within its calls.</summary>
    [Fact]
    public void DatagramOutbox_gives_accepted_messages_to_the_channel_in_their_order() => ModelRun.Compare(100, 400, static random => new World(random).Step);

    /// <summary>The law: the messages of each thread are given to the channel in their order, once, deferred or not, and a deferred message is not overtaken.</summary>
    [Fact]
    public async Task Messages_of_each_thread_keep_their_order_beside_deferred_messages()
    {
        const int Threads = 4;
        var count = Extent.Of(1000, 5000);
        for (var run = 0; run < 5; run++)
        {
            var channel = new DeliveringChannel { Queuing = static () => Thread.Yield() };
            var outbox = new DatagramOutbox(channel, new EventDeliveries(), int.MaxValue, static _ => { });
            await Task.WhenAll(Enumerable.Range(0, Threads).Select(thread => Task.Run(() =>
            {
                var random = new Random(thread);
                for (var i = 0; i < count; i++)
                {
                    var frame = new OutgoingFrame([(byte)thread, .. BitConverter.GetBytes(i)]) { Delivery = Delivery.ReliableOrdered, IsDeferred = random.Next(8) == 0 };
                    Assert.Equal(SendStatus.Sent, outbox.Append(ref frame));
                }
            }))).InTime();
            channel.Queuing = null;
            var flushed = outbox.FlushAsync();
            await Signal.UntilAsync(() =>
            {
                channel.Release(Delivery.ReliableOrdered);
                return flushed.IsCompleted;
            });

            Assert.Equal((0, 0), (outbox.LostFrames, outbox.PendingBytes));
            for (var thread = 0; thread < Threads; thread++)
                Assert.Equal(Enumerable.Range(0, count), channel.Messages.Where(message => message[0] == thread).Select(static message => BitConverter.ToInt32(message, 1)));
        }
    }

    [SuppressMessage("Design", "CA1001", Justification = "The channel holds no resources.")]
    private sealed class World
    {
        private readonly Random _random;
        private readonly DeliveringChannel _channel = new();
        private readonly DatagramOutbox _outbox;
        private readonly PendingTotal _total;
        private readonly List<(int Id, int Size)> _accepted = [];
        private readonly List<Task> _rooms = [];
        private readonly int _maxPending;
        private readonly int _thread = Environment.CurrentManagedThreadId;
        private int _next;
        private int _compared; // messages that the channel has
        private int _corks;
        private int _depth;
        private bool _isEnded;

        public World(Random random)
        {
            (_random, _maxPending, _total) = (random, random.Pick([1, 500, 1_000_000]), new PendingTotal(random.Pick([100_000, 10_000_000])));
            _outbox = new DatagramOutbox(_channel, new EventDeliveries(), _maxPending, static _ => Assert.Fail("The channel does not fail."), _total);
            _channel.Queuing = () =>
            {
                if (Environment.CurrentManagedThreadId != _thread)
                    return; // the thread pool flushes too
                _depth++;
                if (_depth < 3 && _random.Next(4) == 0)
                    Append();
                _depth--;
            };
        }

        public string Step()
        {
            var text = _random.Next(12) switch
            {
                < 5 => Append(),
                5 => Cork(),
                6 => Flush(),
                7 or 8 => Release(),
                9 => Wait(),
                10 when _random.Next(100) == 0 => End(),
                _ => "",
            };
            var messages = _channel.Messages;
            Assert.Equal(_accepted.Take(messages.Count), messages.Select(static message => (BitConverter.ToInt32(message), message.Length)));
            for (; _compared < messages.Count; _compared++)
                Assert.Equal(BytesOf(_accepted[_compared].Id, _accepted[_compared].Size), messages[_compared]);
            Assert.InRange(_total.Taken, 0, 10_000_000);
            if (!_isEnded && _outbox.PendingBytes == 0)
                Assert.All(_rooms, static room => Assert.True(room.Wait(TimeSpan.FromSeconds(10))));
            return text;
        }

        private static byte[] BytesOf(int id, int size)
        {
            var bytes = new byte[size];
            new Random(id).NextBytes(bytes);
            BitConverter.TryWriteBytes(bytes, id);
            return bytes;
        }

        private string Append()
        {
            var bytes = BytesOf(_next, 4 + _random.NextUpTo(_random.Pick([10, 200, 40_000])));
            var before = _random.Next(3) == 0 ? _random.Next(bytes.Length) : 0;
            var frame = new OutgoingFrame(bytes.AsSpan(before))
            {
                Before = bytes.AsSpan(0, before),
                Delivery = _random.Pick(s_deliveries),
                IsControl = _random.Next(5) == 0,
                IsDeferred = _depth == 0 && _random.Next(5) == 0,
            };
            frame.IsControl |= frame.IsDeferred;
            var size = bytes.Length;
            var hadRoom = _channel.HasRoom(size, frame.Delivery.Value, _maxPending);
            var (isIdle, accepted) = (_depth == 0 && _channel.Messages.Count == _accepted.Count, _accepted.Count);
            var (id, chain) = (_next++, default(FlushChain)); // the chain is not started: Execute is called by chance
            var status = _outbox.Append(ref frame, ref chain);
            isIdle &= _accepted.Count == accepted;
            if (status == SendStatus.Sent)
                _accepted.Add((id, size));
            if (_isEnded)
                Assert.Equal(SendStatus.Closed, status);
            else if (frame.IsControl)
                Assert.Equal(SendStatus.Sent, status);
            else
                Assert.True(status == SendStatus.Sent || (status == SendStatus.Full && !(isIdle && hadRoom && !frame.LacksTotal)));
            return $"Append {size}: {status}";
        }

        private string Cork()
        {
            if (_corks == 0 || _random.Next(2) == 0)
            {
                _corks++;
                _outbox.Cork();
                return "Cork";
            }

            _corks--;
            var flushes = _channel.Flushes;
            var wasUnflushed = _channel.Messages.Count < _accepted.Count;
            _outbox.Uncork();
            if (_corks == 0 && !_isEnded && wasUnflushed)
                Assert.True(_channel.Flushes > flushes);
            return "Uncork";
        }

        private string Flush()
        {
            _outbox.Execute();
            if (!_isEnded)
                AwaitMoved();
            return "Flush";
        }

        /// <summary>Waits until the channel has all accepted messages: a thread of the pool may move the deferred ones at the moment.</summary>
        private void AwaitMoved() => Assert.True(SpinWait.SpinUntil(() => _channel.Messages.Count == _accepted.Count, Deadline.Length), $"{_channel.Messages.Count} of {_accepted.Count}");

        private string Release()
        {
            var delivery = _random.Pick(s_deliveries);
            _channel.Release(delivery);
            return $"Release {delivery}";
        }

        private string Wait()
        {
            var room = _outbox.WaitForRoomAsync(_random.NextUpTo(1000), _random.Pick(s_deliveries));
            if (_isEnded)
                Assert.True(room.IsCompleted);
            _rooms.Add(room);
            return $"Wait: {room.IsCompleted}";
        }

        private string End()
        {
            if (_isEnded)
                return "";
            _isEnded = true; // also for messages that are appended meanwhile
            var seals = _random.Next(2) == 0;
            if (seals)
            {
                Assert.True(_outbox.TrySeal([1, 2, 3]));
                AwaitMoved();
                Assert.True(SpinWait.SpinUntil(() => _channel.Last is not null, Deadline.Length));
                Assert.Equal([1, 2, 3], _channel.Last); // the last message follows all others
            }
            else
            {
                _outbox.Close();
                Assert.Equal((0, 0L, 0), (_outbox.PendingBytes, _total.Taken, _outbox.ChargedBytes));
            }

            Assert.All(_rooms, static room => Assert.True(room.Wait(TimeSpan.FromSeconds(10))));
            return seals ? "Seal" : "Close";
        }
    }
}
