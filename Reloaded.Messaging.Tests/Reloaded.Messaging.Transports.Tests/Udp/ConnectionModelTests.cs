using System.Linq;
using Reloaded.Messaging.Tests.Support;
using Reloaded.Messaging.Wire;
using Xunit;

namespace Reloaded.Messaging.Tests.Udp;

/// <summary>Two connections, with all of their ordered channels, compared with queues: their datagrams are lost, repeated and reordered at will, their timers are late, and their readers read in pieces.</summary>
public sealed class ConnectionModelTests
{
    /// <summary>The model: a queue of messages for each ordered channel, and the numbers of the messages that may be lost.</summary>
    [Fact]
    public void DatagramConnection_is_a_queue_for_each_channel()
    {
        const int Steps = 1200;
        ModelRun.Compare(50, Steps, static random =>
        {
            var options = random.Pick([new UdpOptions { MaxDatagramSize = 600 }, new UdpOptions(), new UdpOptions { MaxFragments = 4 }, new UdpOptions { MaxFragments = 200 }]);
            var (now, network) = (0L, new List<Datagram>());
            var (left, right) = (new Side(options), new Side(options));
            (left.Other, right.Other) = (right, left);
            var (most, channels, loss, pace) = (random.Pick([3, 200, 3000, 60_000]), random.Pick([1, 2, OrderedChannels.Count]), random.Pick([0, 0, 2, 5]), random.Pick([1, 20, 400]));
            foreach (var side in (Side[])[left, right])
            {
                for (var barrier = 0; barrier < 2; barrier++) // of the handshake
                    side.Append(0, 10, isBarrier: true);
            }

            var steps = 0;
            return () =>
            {
                var side = random.Pick([left, right]);
                now += random.Next(8) == 0 ? random.NextInt64(pace * TimeSpan.TicksPerMillisecond) : random.Next(1000);
                if (++steps == Steps)
                    side.Seal(random.NextUpTo(most));
                if (steps % (Steps / 3) == 0)
                    return Settle();
                switch (random.Next(16))
                {
                    case 0 or 1:
                        var (channel, size) = (random.Next(channels), random.NextUpTo(most));
                        if (side.Connection.GetUnsentBytes(channel) > 1 << 20)
                            return "";
                        var isBarrier = channel == 0 && random.Next(20) == 0;
                        side.Append(channel, size, isBarrier);
                        return $"Append {size} to {channel}{(isBarrier ? " as a barrier" : "")}";
                    case 2 or 3:
                        size = random.NextUpTo(Math.Min(most, side.Connection.MaxMessageSize));
                        return $"Add {side.AddLoose(size, random.Next(3) - 1)} bytes";
                    case 4:
                        side.Connection.NoteFlushed();
                        return "Flush";
                    case 5 when random.Next(20) == 0:
                        side.Connection.NoteAddressChange();
                        side.Other.Connection.ForgetPath();
                        return "Change of address";
                    case 6 when random.Next(10) == 0:
                        var challenge = new byte[100];
                        network.Add(new Datagram(side.Other, side.Connection.NextNumber, challenge[..side.Connection.WriteChallenge(challenge, 7, now)]));
                        return "Challenge";
                    case 5 or 6 or 7 or 8:
                        return $"Read {side.Read(random.Pick([1, 100, 70_000]))}";
                    case 9 or 10:
                        return $"Write {side.Write(network, now, random.Pick([1, 3, int.MaxValue]))}";
                    default:
                        side.Tick(now);
                        return Deliver(random.Next(4));
                }
            };

            string Deliver(int count)
            {
                for (; count > 0 && network.Count > 0; count--)
                {
                    var index = random.Next(2) == 0 ? 0 : random.Next(network.Count);
                    var datagram = network[index];
                    if (random.Next(12) > 0)
                        network.RemoveAt(index);
                    if (random.Next(20) >= loss)
                        datagram.To.Connection.Receive(datagram.Number, datagram.Body, now);
                }

                return $"Deliver, {network.Count} left";
            }

            // Without losses and with readers, everything arrives, and nothing is left.
            string Settle()
            {
                var until = now + (120 * TimeSpan.TicksPerSecond);
                while (now < until && !(left.HasSettled && right.HasSettled))
                {
                    foreach (var side in (Side[])[left, right])
                    {
                        side.Tick(now);
                        side.Write(network, now, int.MaxValue);
                        side.Read(1 << 20);
                    }

                    foreach (var datagram in network)
                        datagram.To.Connection.Receive(datagram.Number, datagram.Body, now);
                    network.Clear();
                    now += 2 * TimeSpan.TicksPerMillisecond;
                }

                left.Read(1 << 20);
                right.Read(1 << 20);
                left.AssertSettled();
                right.AssertSettled();
                return $"Settled, {left.Received} and {right.Received} received";
            }
        });
    }

    private sealed record Datagram(Side To, ulong Number, byte[] Body);

    /// <summary>One side, with the messages that it has sent and the other side has not read.</summary>
    private sealed class Side(UdpOptions options)
    {
        private const int Overhead = 17;
        private const int LooseChannel = 200; // of the model: and one more for each sequenced stream
        private const int HeaderSize = 1 + sizeof(int);

        private readonly Queue<(int Number, int Size)>[] _channels = [.. Enumerable.Range(0, OrderedChannels.Count).Select(static _ => new Queue<(int, int)>())];
        private readonly Dictionary<int, (int Channel, int Size, int BarrierBefore)> _loose = [];
        private readonly Dictionary<int, int> _barrierBefore = []; // of each message that is not in channel 0
        private readonly int[] _newest = [-1, -1, -1];
        private readonly List<byte> _unread = [];
        private readonly byte[] _body = new byte[options.MaxDatagramSize - Overhead];
        private int _number;
        private int _lastBarrier = -1;
        private int _readBarrier = -1;
        private int _last = -1;

        public DatagramConnection Connection { get; } = new(options.MaxDatagramSize - Overhead, Overhead, options, new DatagramCounters());

        public Side Other { get; set; } = null!;

        public int Received { get; private set; }

        public bool HasSettled => Connection is { UnconfirmedFrames: 0, PendingBytes: 0, HasLastArrived: true } && _channels.All(static channel => channel.Count == 0);

        public void Append(int channel, int size, bool isBarrier = false)
        {
            var message = Create(channel, size);
            if (isBarrier)
                _lastBarrier = _number;
            else if (channel > 0)
                _barrierBefore[_number] = _lastBarrier;
            _channels[channel].Enqueue((_number, message.Length));
            Connection.Append(channel, message, isBarrier);
        }

        public void Seal(int size)
        {
            var message = Create(0, size);
            _channels[0].Enqueue((_last = _number, message.Length));
            Connection.Seal(message);
        }

        public int AddLoose(int size, int stream)
        {
            var message = Create(LooseChannel + 1 + stream, Math.Min(size, Connection.MaxMessageSize - HeaderSize));
            _loose[_number] = (LooseChannel + 1 + stream, message.Length, _lastBarrier);
            Connection.AddLoose(message, stream);
            return message.Length;
        }

        public int Write(List<Datagram> network, long now, int most)
        {
            var count = 0;
            for (; count < most; count++)
            {
                var number = Connection.NextNumber;
                var size = Connection.Write(_body, now);
                if (size == 0)
                    break;
                network.Add(new Datagram(Other, number, _body[..size]));
            }

            return count;
        }

        public void Tick(long now)
        {
            if (now >= Connection.NextTimer(now))
                Connection.Tick(now);
        }

        /// <summary>Reads up to a number of bytes of what the other side has sent, and compares the whole messages.</summary>
        public int Read(int most)
        {
            var buffer = new byte[most];
            var size = Connection.Read(buffer);
            _unread.AddRange(buffer.AsSpan(0, size));
            ReadOnlySpan<byte> rest = _unread.ToArray();
            while (Frame.TryRead(ref rest, int.MaxValue, out var message) == FrameStatus.Ok)
                Other.Compare(message);
            _unread.RemoveRange(0, _unread.Count - rest.Length);
            return size;
        }

        public void AssertSettled()
        {
            Assert.All(_channels, static (waiting, channel) => Assert.True(waiting.Count == 0, $"{waiting.Count} messages of channel {channel} have not arrived."));
            Assert.Equal((0, 0, true, false), (Connection.UnconfirmedFrames, Connection.PendingBytes, Connection.HasLastArrived, Connection.IsReadable));
            Assert.Empty(_unread);
        }

        private byte[] Create(int channel, int size)
        {
            var message = new byte[HeaderSize + size];
            message[0] = (byte)channel;
            BitConverter.TryWriteBytes(message.AsSpan(1), ++_number);
            message.AsSpan(HeaderSize).Fill((byte)_number);
            return message;
        }

        private void Compare(ReadOnlySpan<byte> message)
        {
            Received++;
            var (channel, number) = (message[0], BitConverter.ToInt32(message.Slice(1)));
            Assert.False(message.Slice(HeaderSize).ContainsAnyExcept((byte)number), $"Message {number} has other bytes.");
            Assert.True(number != _last || _channels.All(waiting => waiting.Count == 0 || waiting.Peek().Number == number), "The last message arrived before another one.");
            if (channel < OrderedChannels.Count)
            {
                Assert.Equal(_channels[channel].Dequeue(), (number, message.Length));
                if (channel == 0)
                    _readBarrier = number; // messages of channel 0 arrive in order
                else if (_barrierBefore.Remove(number, out var barrier))
                    Assert.True(_readBarrier >= barrier, $"Message {number} passed the barrier {barrier}.");
                return;
            }

            Assert.True(_loose.Remove(number, out var added), $"Message {number} arrived twice.");
            Assert.Equal((channel, message.Length), (added.Channel, added.Size));
            Assert.True(_readBarrier >= added.BarrierBefore, $"Message {number} passed the barrier {added.BarrierBefore}.");
            if (channel == LooseChannel)
                return;
            ref var newest = ref _newest[channel - LooseChannel - 1];
            Assert.True(number > newest, $"Message {number} arrived after {newest}.");
            newest = number;
        }
    }
}
