using System.Buffers;
using System.Linq;
using Reloaded.Messaging.Tests.Support;
using Reloaded.Messaging.Wire;
using Xunit;

namespace Reloaded.Messaging.Tests.Udp;

/// <summary>What receives datagrams, compared with naive structures.</summary>
public sealed class ReceivingModelTests
{
    /// <summary>The model: the bytes of the stream, and whether each one has arrived.</summary>
    [Fact]
    public void OrderedReceiver_reads_each_byte_once_in_order()
    {
        const int Steps = 400;
        ModelRun.Compare(120, Steps, static random =>
        {
            var steps = 0;
            var (room, budget) = (random.Pick([64, 300, 5000, 60_000]), random.Next(2) == 0 ? null : new RoomBudget { Left = random.Pick([0, 100, 100_000, 1 << 20]) });
            var granted = (long)room + (budget?.Left ?? OrderedReceiver.MaxRoom);
            var receiver = new OrderedReceiver(room, budget);
            var (stream, ends) = CreateStream(random, room);
            var arrived = new bool[stream.Length];
            var (read, limit, contiguous, highest) = (0, room, 0, 0);
            var buffer = new byte[stream.Length];
            return () =>
            {
                string text;
                switch (random.Next(6))
                {
                    case 0:
                        var wanted = random.NextUpTo(random.Pick([1, 100, 100_000]));
                        var size = receiver.Read(buffer.AsSpan(0, Math.Min(wanted, buffer.Length)));
                        Assert.True(size <= wanted && (size > 0 || wanted == 0 || receiver.Readable == 0));
                        Assert.True(buffer.AsSpan(0, size).SequenceEqual(stream.AsSpan(read, size)));
                        Assert.True(read + size <= contiguous);
                        read += size;
                        text = $"Read {size}";
                        break;
                    case 1:
                        var announced = (int)receiver.Announce();
                        Assert.InRange(announced, limit, read + granted);
                        Assert.False(receiver.HasNewRoom);
                        limit = announced;
                        text = $"Announce {limit}";
                        break;
                    default:
                        text = Add();
                        break;
                }

                // Only whole frames can be read, or a frame that is larger than the room holds.
                Assert.Equal((ulong)limit, receiver.Limit);
                Assert.Equal(highest - read, receiver.HeldBytes);
                Assert.InRange(read + receiver.Readable, ends.LastOrDefault(end => end <= contiguous), contiguous);
                if (contiguous == stream.Length)
                    Assert.Equal(stream.Length - read, receiver.Readable);
                else if (!ends.Contains(read + receiver.Readable) && read + receiver.Readable > 0)
                {
                    // A frame is read in parts. The room did not hold it.
                    Assert.True(receiver.End > (ulong)contiguous);
                    Assert.True(ends.Find(end => end > read + receiver.Readable) - ends.FindLast(end => end <= read + receiver.Readable) > (budget is null ? room / 2 : room / 4 * 3));
                }

                if (++steps == Steps)
                    Finish();
                return text;
            };

            // Every byte is read once what is missing arrives in the room that is announced.
            void Finish()
            {
                while (read < stream.Length)
                {
                    var before = (read, contiguous);
                    limit = (int)receiver.Announce();
                    var end = Math.Min(limit, stream.Length);
                    if (end > contiguous)
                        Assert.True(receiver.TryAdd((ulong)contiguous, stream.AsSpan(contiguous, end - contiguous)));
                    contiguous = Math.Max(contiguous, end);
                    var size = receiver.Read(buffer);
                    Assert.True(buffer.AsSpan(0, size).SequenceEqual(stream.AsSpan(read, size)));
                    read += size;
                    Assert.NotEqual(before, (read, contiguous));
                }

                Assert.Equal((0, 0), (receiver.HeldBytes, receiver.Readable));
                highest = read;
            }

            string Add()
            {
                var offset = random.Next(3) == 0 ? Math.Min(contiguous, stream.Length) : Math.Min(stream.Length, Math.Max(0, contiguous - 100) + random.Next(random.Pick([2, 200, 3000])));
                var size = Math.Min(stream.Length - offset, Math.Max(offset == contiguous ? 0 : 1, random.NextUpTo(random.Pick([1, 60, 1200]))));
                var isTaken = receiver.TryAdd((ulong)offset, stream.AsSpan(offset, size));
                if (offset + size > limit)
                {
                    Assert.False(isTaken);
                    return "beyond the room";
                }

                if (!isTaken)
                {
                    Assert.True(CountGaps() >= OrderedReceiver.MaxGaps);
                    return "too many gaps";
                }

                arrived.AsSpan(offset, size).Fill(true);
                highest = Math.Max(highest, offset + size);
                while (contiguous < arrived.Length && arrived[contiguous])
                    contiguous++;
                highest = Math.Max(highest, contiguous);
                return $"Add {size} at {offset}";
            }

            int CountGaps()
            {
                var gaps = 0;
                for (var i = contiguous + 1; i < arrived.Length; i++)
                    gaps += arrived[i] && !arrived[i - 1] ? 1 : 0;
                return gaps;
            }
        });

        static (byte[] Stream, List<int> Ends) CreateStream(Random random, int room)
        {
            var (stream, ends) = (new List<byte>(), new List<int>());
            for (var i = 0; i < 60; i++)
            {
                var content = new byte[random.Next(3) == 0 ? random.NextUpTo(room) : random.NextUpTo(40)];
                random.NextBytes(content);
                var prefix = new byte[UVarint.MaxSize];
                stream.AddRange(prefix[..UVarint.Write(prefix, (uint)content.Length)]);
                stream.AddRange(content);
                ends.Add(stream.Count);
            }

            return (stream.ToArray(), ends);
        }
    }

    /// <summary>The model: single bytes with a gap between every two of them.</summary>
    [Theory]
    [InlineData(0)]
    [InlineData(1)]
    public void OrderedReceiver_refuses_a_gap_beyond_the_limit_and_takes_it_once_there_is_place(int surplus)
    {
        var receiver = new OrderedReceiver(4096, null);
        var stream = new byte[4096];
        (stream[0], stream[1]) = (0xFE, 0x1F); // one frame
        for (var i = 0; i < OrderedReceiver.MaxGaps + surplus; i++)
            Assert.Equal(i < OrderedReceiver.MaxGaps, receiver.TryAdd((ulong)(10 + (2 * i)), stream.AsSpan(10 + (2 * i), 1)));

        Assert.True(receiver.TryAdd(11, stream.AsSpan(11, 1))); // joins two ranges
        Assert.True(receiver.TryAdd(4000, stream.AsSpan(4000, 1)));
        Assert.False(receiver.TryAdd(4002, stream.AsSpan(4002, 1)));
        Assert.True(receiver.TryAdd(0, stream));
        Assert.Equal(4096, receiver.HeldBytes);
    }

    [Fact]
    public void OrderedReceiver_holds_a_segment_for_a_byte_at_the_end_of_its_room()
    {
        var (growth, rented) = (new RoomBudget { Left = OrderedChannels.MaxGrowth }, 0);
        for (var channel = 1; channel < OrderedChannels.Count; channel++)
        {
            var receiver = new OrderedReceiver(OrderedChannels.InitialRoom, growth);
            var prefix = new byte[UVarint.MaxSize];
            Assert.True(receiver.TryAdd(0, prefix.AsSpan(0, UVarint.Write(prefix, 1 << 20))));

            Assert.True(receiver.TryAdd(receiver.Announce() - 1, [1]));

            Assert.Equal(2 * ByteRing.SegmentSize, receiver.RentedBytes);
            rented += receiver.RentedBytes;
            receiver.Clear();
            Assert.Equal(0, receiver.RentedBytes);
        }

        Assert.Equal(0, growth.Left);
        Assert.InRange(rented, 1, 64 * 1024);
    }

    /// <summary>The model: the set of received numbers, from which the ranges of each acknowledgement are counted.</summary>
    [Fact]
    public void ReceivedPackets_acknowledge_the_newest_ranges_of_a_set()
    {
        ModelRun.Compare(200, 300, static random =>
        {
            var (packets, received, now) = (new ReceivedPackets(), new SortedSet<ulong>(), 1000L);
            var next = random.Pick([0UL, 1UL, 63UL, 64UL, 5000UL, uint.MaxValue]);
            var (unacknowledged, isDue, timer, eager, newestAt) = (0, false, long.MaxValue, 16, 0L);
            var body = new byte[ReceivedPackets.MaxAcknowledgement];
            return () =>
            {
                now += random.NextUpTo(1000);
                string text;
                switch (random.Next(8))
                {
                    case 0:
                        text = Acknowledge();
                        break;
                    case 1 when random.Next(3) == 0:
                        packets.Repeat();
                        if (received.Count > 0)
                            (unacknowledged, isDue) = (Math.Max(1, unacknowledged), true);
                        text = "Repeat";
                        break;
                    default:
                        text = Receive();
                        break;
                }

                Assert.Equal(isDue || now >= timer, packets.IsDue(now));
                Assert.Equal((unacknowledged > 0, timer), (packets.OwesAcknowledgement, packets.Timer));
                return text;
            };

            string Receive()
            {
                var skipped = random.Next(3) == 0 ? (ulong)random.NextUpTo(random.Pick([3, 70, ReplayWindow.Size])) : 0;
                var number = random.Next(3) == 0 && received.Count > 0 ? received.Max - Math.Min(received.Max, (ulong)random.NextUpTo(random.Pick([3, 70, ReplayWindow.Size]))) : next + skipped;
                var isOld = received.Count > 0 && number <= received.Max && received.Max - number >= ReplayWindow.Size;
                Assert.Equal(isOld ? OpenStatus.TooOld : received.Contains(number) ? OpenStatus.Replayed : OpenStatus.Ok, packets.Check(number));
                Assert.Equal(received.Count == 0 || number > received.Max, packets.IsNewest(number));
                if (isOld || received.Contains(number))
                    return $"{number} again";
                var (isEliciting, delay) = (random.Next(4) > 0, random.Next(1, 5000));
                var isNext = received.Count == 0 || number == received.Max + 1;
                if (received.Count == 0 || number > received.Max)
                    newestAt = now;
                packets.Note(number, isEliciting, now, delay);
                received.Add(number);
                next = received.Max + 1;
                received.RemoveWhere(one => received.Max - one >= ReplayWindow.Size);
                if (!isEliciting)
                    return $"{number}";
                unacknowledged++;
                isDue |= !isNext || unacknowledged >= 2 || eager > 0;
                eager = Math.Max(0, eager - 1);
                timer = Math.Min(timer, now + delay);
                return $"{number} eliciting";
            }

            string Acknowledge()
            {
                if (received.Count == 0)
                    return "nothing";
                var room = random.Next(4) == 0 ? random.NextUpTo(60) : body.Length;
                body.AsSpan().Fill(0xEE);
                var size = packets.Write(body.AsSpan(0, Math.Min(room, body.Length)), now);
                Assert.True(body.AsSpan(size).IndexOfAnyExcept((byte)0xEE) < 0);
                if (size == 0)
                {
                    Assert.True(room < AcknowledgedRanges.HeaderSize + UVarint.MaxSize);
                    return $"no room in {room}";
                }

                (unacknowledged, isDue, timer) = (0, false, long.MaxValue);
                Assert.True(AcknowledgedRanges.TryRead(body.AsSpan(0, size), received.Max + 1, out var ranges));
                Assert.False(AcknowledgedRanges.TryRead(body.AsSpan(0, size), received.Max, out _)); // a datagram that was never sent
                Assert.Equal((received.Max, (now - newestAt) / TimeSpan.TicksPerMicrosecond * TimeSpan.TicksPerMicrosecond), (ranges.Largest, ranges.Delay));
                var expected = FindRanges();
                var count = 0;
                for (; ranges.MoveNext(); count++)
                    Assert.Equal(expected[count], (ranges.Start, ranges.End));
                if (room >= body.Length)
                    Assert.Equal(Math.Min(ReceivedPackets.MaxRanges, expected.Count), count);
                Assert.True(count > 0);
                return $"{count} ranges";
            }

            List<(ulong Start, ulong End)> FindRanges()
            {
                var found = new List<(ulong Start, ulong End)>();
                foreach (var number in received.Reverse())
                {
                    if (found.Count > 0 && found[^1].Start == number + 1)
                        found[^1] = (number, found[^1].End);
                    else
                        found.Add((number, number));
                }

                return found;
            }
        });
    }

    /// <summary>The model: bodies as lists of counts, valid or not.</summary>
    [Fact]
    public void AcknowledgedRanges_read_every_list_of_counts_that_stays_above_zero()
    {
        ModelRun.Compare(300, 50, static random => () =>
        {
            var largest = random.Pick([0UL, 1UL, 10UL, 300UL, ulong.MaxValue - 1]);
            var (body, expected, below, isValid) = (new List<byte>(), new List<(ulong, ulong)>(), largest + 1, true);
            body.AddRange(BitConverter.GetBytes(largest));
            body.AddRange(BitConverter.GetBytes((uint)random.Next()));
            for (var ranges = random.Next(4); ranges >= 0; ranges--)
            {
                if (expected.Count > 0)
                    Add(out _);
                var start = below;
                Add(out var length);
                expected.Add((start - length, start - 1));
            }

            if (random.Next(10) == 0)
            {
                body.RemoveAt(body.Count - 1);
                isValid = false;
            }

            Assert.Equal(isValid, AcknowledgedRanges.TryRead(body.ToArray(), largest + 1, out var read));
            for (var i = 0; isValid && i < expected.Count; i++)
            {
                Assert.True(read.MoveNext());
                Assert.Equal(expected[i], (read.Start, read.End));
            }

            Assert.False(isValid && read.MoveNext());
            return $"{largest}: {Convert.ToHexString(body.ToArray())}";

            void Add(out ulong count)
            {
                count = random.Next(3) == 0 && below < uint.MaxValue ? (ulong)random.NextUpTo((int)Math.Min(below, int.MaxValue - 1)) : (ulong)random.Next(1, 4);
                isValid &= count > 0 && count <= below;
                below -= Math.Min(count, below);
                var bytes = new byte[UVarint.MaxSize];
                body.AddRange(bytes[..UVarint.Write(bytes, (uint)count)]);
            }
        });
    }

    /// <summary>The model: the messages by their number, each with its parts, in the order of their first fragment.</summary>
    [Fact]
    public void FragmentAssembler_is_a_list_of_four_messages()
    {
        ModelRun.Compare(150, 400, static random =>
        {
            var counts = new DatagramCounters();
            var options = new UdpOptions { MaxFragments = random.Pick([2, 3, 16]) };
            var assembler = new FragmentAssembler(options, counts);
            var (model, now, dropped) = (new List<Message>(), TimeSpan.FromDays(1), 0L);
            return () =>
            {
                now += TimeSpan.FromMilliseconds(random.Next(3) == 0 ? random.NextUpTo(1000) : random.Next(30)) + new TimeSpan(1); // no two messages are as old
                GiveUpOld();
                if (random.Next(40) == 0)
                {
                    assembler.GiveUpAll();
                    dropped += model.Count;
                    model.Clear();
                    Assert.Equal(dropped, counts.GetDropped(DatagramDropReason.Incomplete));
                    return "all given up";
                }

                var (number, count) = ((uint)random.Next(7), random.NextUpTo(options.MaxFragments));
                if (random.Next(5) > 0)
                    count = 2 + ((int)number % (options.MaxFragments - 1));
                var (index, content) = (random.Next(count + 1), new byte[random.NextUpTo(20)]);
                random.NextBytes(content);
                byte[] fragment = [.. BitConverter.GetBytes(number), (byte)index, (byte)count, .. content];
                var size = assembler.TryTake(fragment, now, out var frame);
                var text = $"{index} of {count} of {number} at {now}: {size}";
                if (content.Length == 0 || count < 2 || count > options.MaxFragments || index >= count)
                {
                    Assert.Equal(-1, size);
                    return text;
                }

                var message = model.Find(one => one.Number == number);
                if (message is null)
                {
                    if (model.Count == FragmentAssembler.MaxPending)
                    {
                        model.RemoveAt(0);
                        dropped++;
                    }

                    model.Add(message = new Message(number, new byte[count][], now));
                }

                if (message.Parts.Length != count || message.Parts[index] is not null)
                {
                    Assert.Equal(-1, size);
                }
                else
                {
                    message.Parts[index] = content;
                    var isWhole = Array.TrueForAll(message.Parts, static part => part is not null);
                    Assert.Equal(isWhole ? message.Parts.Sum(static part => part.Length) : 0, size);
                    Assert.Equal(isWhole, frame is not null);
                    if (isWhole)
                    {
                        Assert.Equal(message.Parts.SelectMany(static part => part), frame!.AsSpan(0, size).ToArray());
                        ArrayPool<byte>.Shared.Return(frame!);
                        model.Remove(message);
                    }
                }

                Assert.Equal(model.Count > 0, assembler.GiveUpOld(now));
                Assert.Equal(model.Sum(static one => one.Parts.Sum(static part => part?.Length ?? 0)), assembler.HeldBytes);
                Assert.Equal(dropped, counts.GetDropped(DatagramDropReason.Incomplete));
                return text;
            };

            void GiveUpOld() => dropped += model.RemoveAll(one => now - one.Since >= TimeSpan.FromSeconds(1));
        });
    }

    private sealed record Message(uint Number, byte[][] Parts, TimeSpan Since);
}
