using System.Linq;
using System.Numerics;
using System.Reflection;
using Reloaded.Messaging.Hosting;
using Reloaded.Messaging.Tests.Support;
using Reloaded.Messaging.Wire;
using Xunit;

namespace Reloaded.Messaging.Tests.Models;

/// <summary>The queues and totals behave as naive ones.</summary>
public sealed class QueueModelTests
{
    private static FieldInfo EntriesOfPeerQueues { get; } = typeof(PeerQueues<int>).GetField("_entries", BindingFlags.NonPublic | BindingFlags.Instance)!;

    /// <summary>The model: a queue for each peer, in turn, and the rules of the room as they are documented.</summary>
    [Fact]
    public void RoundRobinQueue_is_a_queue_for_each_peer()
    {
        var writer = new MessageWriter();
        ModelRun.Compare(60, 1500, random =>
        {
            var (capacity, maxBytes, maxPeers) = (random.Pick([1, 2, 9, 50]), random.Pick([10, 100, 3000]), random.Pick([1, 2, 6]));
            var queue = new PeerQueues<int>(capacity, maxBytes, maxPeers);
            var (adds, largest, peak) = (random.Pick([1, 3]), random.Pick([10, maxBytes]), 0);
            var peers = Enumerable.Range(0, random.Pick([1, 8])).Select(static _ => (Queue: new PeerQueue(), Model: new Queue<(int Id, int Size)>())).ToArray();
            var order = new List<int>(); // the peers with messages; the first one is next
            var (rooms, queued) = (new List<Task>(), new List<PackedMessage>());
            var (added, isClosed) = (0, false);
            return () =>
            {
                var text = random.Next(1 + adds) == 0 || isClosed ? Take() : Add();
                Assert.Equal(peers.Sum(static one => one.Model.Count), queue.Count);
                peak = Math.Max(peak, queue.Count);
                Assert.InRange(((Array)EntriesOfPeerQueues.GetValue(queue)!).Length, 0, Math.Max(16, 2 * peak)); // places are used again
                if (queue.Count == 0)
                    Assert.All(rooms, static room => Assert.True(room.IsCompleted));
                if (random.Next(1000) == 0 && !isClosed)
                {
                    isClosed = true;
                    Assert.Equal(peers.SelectMany(static one => one.Model).Select(static one => one.Id).Order(), queue.Close().Order());
                    Assert.All(rooms, static room => Assert.True(room.IsCompleted));
                    Assert.All(queued, static message => Assert.True(message.IsReleased));
                    Array.ForEach(peers, static one => one.Model.Clear());
                    order.Clear();
                }

                return text;
            };

            string Add()
            {
                var peer = random.Next(peers.Length);
                var (peerQueue, model) = peers[peer];
                var message = writer.PackRaw(new MessageHeader(1), new byte[random.NextUpTo(largest)]);
                var (count, bytes, own) = (peers.Sum(static one => one.Model.Count), peers.Sum(static one => one.Model.Sum(static item => (long)item.Size)), model.Sum(static item => (long)item.Size));
                var isFirst = model.Count == 0 && order.Count < maxPeers && (bytes <= maxBytes || bytes + message.Length <= 2L * maxBytes);
                var hasRoom = isFirst || (count < capacity && model.Count < 8 * (capacity - count) && bytes + message.Length <= maxBytes && own + message.Length <= 8 * (maxBytes - bytes));
                var room = queue.Add(peerQueue, message, ++added);
                Assert.Equal(hasRoom, room is null);
                if (room is not null)
                {
                    rooms.Add(room);
                    message.Dispose();
                    return $"Add of {peer} waits";
                }

                if (model.Count == 0)
                    order.Add(peer);
                model.Enqueue((added, message.Length));
                queued.Add(message);
                return $"Add of {peer}";
            }

            string Take()
            {
                Assert.Equal(order.Count > 0, queue.TryTake(out var message, out var id));
                if (order.Count == 0)
                    return "Take nothing";
                var peer = order[0];
                order.RemoveAt(0);
                Assert.Equal(peers[peer].Model.Dequeue(), (id, message.Length));
                message.Dispose();
                if (peers[peer].Model.Count > 0)
                    order.Add(peer);
                return $"Take of {peer}";
            }
        });
    }

    /// <summary>The model: groups of frames. A large message is a group alone, and the last group takes further frames.</summary>
    [Fact]
    public void FrameQueue_writes_every_frame_in_order_and_charges_the_total()
    {
        ModelRun.Compare(20, 300, static random =>
        {
            var total = new PendingTotal(random.Pick([100_000, 400_000, 10_000_000]));
            var queue = new FrameQueue(total);
            var groups = new List<List<byte[]>> { new() };
            var (writing, isWriting, unwritten) = (new List<byte[]>(), false, 0);
            return () =>
            {
                var text = Step();
                var waiting = groups.SelectMany(static one => one).Sum(static one => one.Length);
                Assert.Equal((waiting, waiting + writing.Sum(static one => one.Length)), (queue.PendingLength, queue.Length));
                Assert.Equal(groups.SkipLast(1).SelectMany(static one => one).Sum(static one => one.Length), queue.EarlierLength);
                Assert.Equal(groups[0].Count == 0 ? 0 : groups[0][0].Length, queue.FirstLength);
                Assert.Equal(total.Taken, queue.Charged);
                Assert.Equal(queue.Length == 0, queue.WaitWrittenAsync().IsCompleted);
                return text;
            };

            string Step()
            {
                switch (random.Next(12))
                {
                    case 1:
                        var message = new OutgoingFrame(Content(FrameQueue.LargeMessage + random.NextUpTo(200_000)));
                        if (FrameBuffer.TryCopy(in message, total) is not { } copy)
                            return "Large refused";
                        queue.Append(copy);
                        if (groups[^1].Count == 0)
                            groups.RemoveAt(groups.Count - 1);
                        groups.Add([Frame(message.Message)]);
                        groups.Add([]);
                        return $"Large {message.Message.Length}";
                    case 2 or 3 or 4:
                        return Take();
                    case 5 when random.Next(20) == 0:
                        Assert.Equal(groups.Sum(static one => one.Count) + unwritten, queue.Close(isWriting));
                        if (isWriting)
                            queue.FreeWriting();
                        Assert.Equal(0, total.Taken);
                        queue = new FrameQueue(total);
                        (groups, writing, isWriting, unwritten) = ([[]], [], false, 0);
                        return "Close";
                    default:
                        var content = Content(random.Next(4) == 0 ? random.NextUpTo(60_000) : random.NextUpTo(300));
                        if (queue.Pending.TryAppend(default, content, random.Next(5) == 0))
                            groups[^1].Add(Frame(content));
                        return $"Append {content.Length}";
                }
            }

            string Take()
            {
                var isThere = groups[0].Count > 0;
                Assert.Equal(isThere, queue.TryTake(out var frames));
                (writing, isWriting) = (isThere ? groups[0] : [], isThere);
                unwritten = writing.Count;
                if (isThere)
                {
                    groups.RemoveAt(0);
                    if (groups.Count == 0)
                        groups.Add([]);
                    Assert.True(frames.Span.SequenceEqual(writing.SelectMany(static one => one).ToArray()));
                }

                return $"Take {frames.Length}";
            }

            byte[] Content(int size)
            {
                var content = new byte[size];
                random.NextBytes(content);
                return content;
            }
        });
    }

    /// <summary>The model: a number. A wait completes when bytes are freed.</summary>
    [Fact]
    public void PendingTotal_is_a_sum_with_a_limit()
    {
        ModelRun.Compare(100, 500, static random =>
        {
            var limit = random.Pick([1, 100, int.MaxValue]);
            var total = new PendingTotal(limit);
            var taken = new List<int>();
            Task? wait = null;
            return () =>
            {
                var (bytes, sum) = (Math.Max(1, random.NextUpTo(limit == int.MaxValue ? limit - 1 : limit)), taken.Sum(static one => (long)one));
                var hasRoom = sum == 0 || sum + bytes <= limit;
                switch (random.Next(5))
                {
                    case 0:
                        total.Take(bytes);
                        taken.Add(bytes);
                        break;
                    case 1 when taken.Count > 0:
                        var freed = random.Pick(taken);
                        taken.Remove(freed);
                        total.Free(freed);
                        Assert.True(wait?.IsCompleted ?? true);
                        break;
                    case 2:
                        var now = total.WaitForRoomAsync(bytes);
                        Assert.Equal(hasRoom, now.IsCompleted);
                        wait = now;
                        break;
                    default:
                        Assert.Equal(hasRoom, total.TryTake(bytes));
                        if (hasRoom)
                            taken.Add(bytes);
                        break;
                }

                sum = taken.Sum(static one => (long)one);
                Assert.Equal((sum, sum <= limit / 2), (total.Taken, total.IsAmple));
                return $"{bytes} of {sum}";
            };
        });
    }

    /// <summary>The model: the tokens of both rates in ticks times the rate, as whole numbers. Where the exact number is at the limit, either answer is right.</summary>
    [Fact]
    public void PeerRateLimit_has_the_rates_and_the_burst()
    {
        ModelRun.Compare(200, 500, static random =>
        {
            var time = new ManualTime();
            var limits = new HostLimits { MessagesPerSecond = random.Pick<int?>([1, 3, 1000, int.MaxValue]), BytesPerSecond = random.Pick<int?>([null, 1000, 100_000, int.MaxValue]), Burst = random.Pick([TimeSpan.FromMilliseconds(100), TimeSpan.FromSeconds(1), TimeSpan.FromMinutes(1)]) };
            var rates = PeerRateLimit.TryCreate(new MessageHostOptions { Limits = limits, TimeProvider = time })!;
            var (messages, bytes) = (new Tokens(limits.MessagesPerSecond, limits.Burst), new Tokens(limits.BytesPerSecond, limits.Burst));
            return () =>
            {
                var passed = new TimeSpan(random.Pick([0, 1, random.NextInt64(TimeSpan.TicksPerSecond), limits.Burst.Ticks, limits.Burst.Ticks * 2]));
                time.Pass(passed);
                rates.NoteBlock();
                messages.Fill(passed);
                bytes.Fill(passed);
                var size = random.Next(2) == 0 ? 1 : random.NextUpTo(bytes.Most);
                var exceeded = rates.Exceeds(size);
                messages.Take(1, exceeded != DisconnectReason.TooManyMessages);
                if (exceeded != DisconnectReason.TooManyMessages)
                    bytes.Take(size, exceeded != DisconnectReason.TooManyBytes);
                return $"{size} after {passed}: {exceeded}";
            };
        });
    }

    /// <summary>The model: the later one of the block of the last message and of the last work.</summary>
    [Fact]
    public void PeerRateLimit_is_idle_since_the_last_message_or_the_last_work()
    {
        ModelRun.Compare(100, 200, static random =>
        {
            var time = new ManualTime();
            var rate = PeerRateLimit.TryCreate(new MessageHostOptions { IdleTimeout = TimeSpan.FromMinutes(1), TimeProvider = time })!;
            var (now, block, last) = (0L, 0L, 0L);
            return () =>
            {
                var action = random.Next(4);
                switch (action)
                {
                    case 0:
                        var passed = random.Pick([1, random.NextInt64(TimeSpan.TicksPerHour)]);
                        time.Pass(new TimeSpan(passed));
                        now += passed;
                        break;
                    case 1:
                        rate.NoteBlock();
                        block = now;
                        break;
                    case 2:
                        rate.NoteMessage();
                        last = Math.Max(last, block);
                        break;
                    default:
                        rate.NoteWork();
                        last = now;
                        break;
                }

                Assert.Equal(now - last, rate.Idle.Ticks);
                return $"action {action} at {now}";
            };
        });
    }

    private static byte[] Frame(ReadOnlySpan<byte> message)
    {
        var frame = new byte[UVarint.MaxSize + message.Length];
        var prefix = UVarint.Write(frame, (uint)message.Length);
        message.CopyTo(frame.AsSpan(prefix));
        return frame[..(prefix + message.Length)];
    }

    /// <summary>The tokens of a rate, exactly.</summary>
    private sealed class Tokens(int? rate, TimeSpan burst)
    {
        private readonly BigInteger _capacity = BigInteger.Max(TimeSpan.TicksPerSecond, (BigInteger)(rate ?? 0) * burst.Ticks);
        private BigInteger _tokens = BigInteger.Max(TimeSpan.TicksPerSecond, (BigInteger)(rate ?? 0) * burst.Ticks);

        /// <summary>The capacity, in tokens.</summary>
        public int Most => (int)BigInteger.Min(int.MaxValue - 1, _capacity / TimeSpan.TicksPerSecond);

        public void Fill(TimeSpan passed) => _tokens = BigInteger.Min(_capacity, _tokens + ((BigInteger)(rate ?? 0) * passed.Ticks));

        /// <summary>Compares whether tokens were taken, and takes them.</summary>
        public void Take(int count, bool isTaken)
        {
            var left = _tokens - ((BigInteger)count * TimeSpan.TicksPerSecond);
            if (rate is null)
                Assert.True(isTaken);
            else if (BigInteger.Abs(left) > _capacity / 1_000_000)
                Assert.Equal(left >= 0, isTaken);
            if (isTaken)
                _tokens = BigInteger.Max(0, left);
        }
    }
}
