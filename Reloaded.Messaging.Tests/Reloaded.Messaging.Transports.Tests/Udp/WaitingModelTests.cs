using System.Linq;
using System.Runtime.InteropServices;
using Reloaded.Messaging.Tests.Support;
using Reloaded.Messaging.Wire;
using Xunit;

namespace Reloaded.Messaging.Tests.Udp;

/// <summary>What waits for a datagram or for a reader, compared with naive structures.</summary>
public sealed class WaitingModelTests
{
    /// <summary>The model: all bytes of the stream. The range of kept bytes moves and grows.</summary>
    [Fact]
    public void ByteRing_is_a_part_of_a_stream()
    {
        ModelRun.Compare(150, 300, static random =>
        {
            var (ring, origin) = (default(ByteRing), random.Pick([0UL, 1UL, 2047UL, uint.MaxValue - 100, ulong.MaxValue / 2]));
            var (stream, start, freed) = (new List<byte>(), 0, 0);
            return () =>
            {
                if (random.Next(4) == 0)
                    start = Math.Min(stream.Count, start + random.NextUpTo(stream.Count - start));
                if (random.Next(30) == 0)
                {
                    ring.Free();
                    ring.Free();
                    start = freed = stream.Count;
                    Assert.Equal(0, ring.RentedBytes);
                }

                var added = new byte[random.NextUpTo(random.Pick([1, 100, 2048, 9000]))];
                random.NextBytes(added);
                var offset = origin + (ulong)stream.Count;
                ring.Reserve(origin + (ulong)start, offset + (ulong)added.Length);
                stream.AddRange(added);
                ring.Write(offset, added);
                var kept = stream.Skip(start).ToArray();
                var read = new byte[kept.Length];
                ring.Read(origin + (ulong)start, read);
                Assert.Equal(kept, read);
                Assert.Equal(stream.Count == freed ? 0 : ByteRing.SegmentSize * (int)(Math.Max(SegmentOf(start), SegmentOf(stream.Count - 1) + 1) - Math.Max(SegmentOf(start), SegmentOf(freed))), ring.RentedBytes);
                return $"{added.Length} at {offset} of {kept.Length}";
            };

            ulong SegmentOf(int index) => (origin + (ulong)index) / ByteRing.SegmentSize;
        });
    }

    /// <summary>The model: a queue of parts, and another one of the parts of each stream.</summary>
    [Fact]
    public void LooseSender_is_a_short_queue()
    {
        const int Room = 1000;
        ModelRun.Compare(100, 500, static random =>
        {
            var (counts, largest) = (new DatagramCounters(), random.Pick([0, 1000, LooseSender.MaxBytes + 1, 300_000]));
            var (maxBytes, datagram) = (Math.Max(LooseSender.MaxBytes, largest), new byte[600_000]);
            var (sender, model, most) = (new LooseSender(counts, largest), new List<(DatagramPart Part, byte[] Body, int Stream, bool IsOld)>(), random.Pick([1, 100, 1500, 20_000]));
            var (notSent, outdated, isNewestDropped) = (0L, 0L, false);
            return () =>
            {
                string text;
                switch (random.Next(random.Next(2) == 0 ? 4 : 8))
                {
                    case 0:
                        var stream = random.Next(3);
                        sender.DropOutdated(stream);
                        isNewestDropped |= model.Count > 0 && model[^1].Stream == stream && model[^1].IsOld;
                        outdated += model.RemoveAll(one => one.Stream == stream && one.IsOld);
                        text = $"Outdated {stream}";
                        break;
                    case 1 when model.Count > 0:
                        var (part, body, _, _) = model[0];
                        model.RemoveAt(0);
                        var writer = new DatagramWriter(datagram);
                        sender.Take(ref writer);
                        ReadOnlySpan<byte> rest = datagram.AsSpan(0, writer.Length);
                        Assert.True(DatagramReader.TryRead(ref rest, out var taken, out var content));
                        Assert.Equal((part, true, true), (taken, content.SequenceEqual(body), rest.IsEmpty));
                        text = $"Take {body.Length}";
                        break;
                    case 2 when random.Next(40) == 0:
                        sender.Clear();
                        notSent += model.Count;
                        model.Clear();
                        text = "Clear";
                        break;
                    case 3 when random.Next(4) == 0:
                        sender.NoteFlushed();
                        model = [.. model.Select(static one => one with { IsOld = true })];
                        text = "Flush";
                        break;
                    default:
                        var (start, end) = (new byte[random.Next(6)], new byte[random.NextUpTo(most)]);
                        (part, stream) = random.Next(2) == 0 ? (DatagramPart.Frames, -1) : (DatagramPart.Sequenced, random.Next(3));
                        if (random.Next(8) == 0 && model.Count > 0) // the newest part is filled, or would have one byte too many
                        {
                            (part, stream) = (model[^1].Part, model[^1].Stream);
                            end = new byte[Math.Max(0, Room - model[^1].Body.Length - start.Length + random.Next(2))];
                        }

                        random.NextBytes(end);
                        if (sender.TryExtend(part, stream, start, end, Room))
                        {
                            var last = model[^1];
                            Assert.Equal((part, stream), (last.Part, last.Stream));
                            Assert.InRange(last.Body.Length + start.Length + end.Length, 0, Room);
                            model[^1] = last with { Body = [.. last.Body, .. start, .. end] };
                            text = $"Extend by {start.Length + end.Length}";
                            break;
                        }

                        Assert.False(!isNewestDropped && model.Count > 0 && (model[^1].Part, model[^1].Stream) == (part, stream) && model[^1].Body.Length + start.Length + end.Length <= Room && model.Sum(static one => one.Body.Length) + start.Length + end.Length <= maxBytes);
                        while (model.Count > 0 && (model.Count == LooseSender.MaxParts || model.Sum(static one => one.Body.Length) + start.Length + end.Length > maxBytes))
                        {
                            model.RemoveAt(0);
                            notSent++;
                        }

                        isNewestDropped = false;
                        sender.Add(part, start, end, stream);
                        model.Add((part, [.. start, .. end], stream, false));
                        text = $"Add {start.Length + end.Length}";
                        break;
                }

                Assert.Equal((model.Sum(static one => one.Body.Length), model.Count > 0 ? model[0].Body.Length : 0), (sender.Bytes, sender.NextSize));
                Assert.Equal((notSent, outdated), (counts.GetDropped(DatagramDropReason.NotSent), counts.GetDropped(DatagramDropReason.OutdatedUnsent)));
                return text;
            };
        });
    }

    /// <summary>The model: a list of bytes with a limit.</summary>
    [Fact]
    public void LooseReceiver_is_a_list_with_a_limit()
    {
        ModelRun.Compare(60, 400, static random =>
        {
            var (receiver, model, most, buffer) = (new LooseReceiver(), new List<byte>(), random.Pick([10, 1200, LooseReceiver.Capacity]), new byte[LooseReceiver.Capacity + 1]);
            var next = (byte)0;
            return () =>
            {
                var frames = new byte[random.NextUpTo(most)];
                for (var i = 0; i < frames.Length; i++)
                    frames[i] = next++;
                var isTaken = model.Count + frames.Length <= LooseReceiver.Capacity;
                Assert.Equal(isTaken, receiver.TryAdd(frames));
                if (isTaken)
                    model.AddRange(frames);
                Assert.Equal(model.Count, receiver.Readable);
                if (random.Next(20) == 0)
                {
                    receiver.Clear();
                    model.Clear();
                }

                var wanted = random.Next(3) == 0 ? 0 : random.NextUpTo(random.Pick([most, LooseReceiver.Capacity]));
                var size = receiver.Read(buffer.AsSpan(0, wanted));
                Assert.Equal(Math.Min(wanted, model.Count), size);
                Assert.True(buffer.AsSpan(0, size).SequenceEqual(CollectionsMarshal.AsSpan(model).Slice(0, size)));
                model.RemoveRange(0, size);
                Assert.Equal(model.Count, receiver.Readable);
                return $"{frames.Length}, {wanted}";
            };
        });
    }

    /// <summary>The model: the number of datagrams that each stream sent, and the newest one that arrived.</summary>
    [Fact]
    public void SequencedStreams_number_each_stream_alone()
    {
        ModelRun.Compare(60, 800, static random =>
        {
            var streams = new SequencedStreams();
            var (sent, newest) = (new List<byte[]>(), new Dictionary<byte, long>());
            return () =>
            {
                var stream = random.Pick([(byte)0, (byte)1, (byte)255]);
                if (random.Next(2) == 0)
                {
                    var header = new byte[SequencedStreams.HeaderSize];
                    streams.WriteHeader(header, stream);
                    Assert.Equal((stream, sent.Count(one => one[0] == stream)), (header[0], BitConverter.ToInt32(header, 1)));
                    sent.Add(header);
                    return $"Send {stream}";
                }

                if (sent.Count == 0)
                    return "";
                var received = sent[^random.Next(1, Math.Min(sent.Count, 40) + 1)];
                var number = BitConverter.ToInt32(received, 1);
                Assert.Equal(newest.TryGetValue(received[0], out var before) && number <= before, streams.IsOutdated(received));
                newest[received[0]] = Math.Max(number, newest.GetValueOrDefault(received[0], -1));
                return $"Receive {number} of {received[0]}";
            };
        });
    }

    /// <summary>The model: the tokens as a fraction, exactly, of each source, of its first operations and of all sources.</summary>
    [Fact]
    public void SourceRate_has_tokens_for_each_source_and_for_all()
    {
        byte[][] sources = [[1, 2, 3, 4], [4, 3, 2, 1]];
        var probe = new SourceRate(new ManualTime(), perSource: 1, inAll: 2);
        var shareSlot = probe.TryTake(sources[0]) && !probe.TryTake(sources[1]); // the hash differs between processes
        ModelRun.Compare(60, 400, random =>
        {
            var (time, perSource, inAll) = (new ManualTime(), random.Pick([1, 2, 8]), random.Pick([1, 4, 16]));
            var (rate, all) = (new SourceRate(time, perSource, inAll), (decimal)inAll);
            var (tokens, firsts) = (new decimal[] { perSource, perSource }, new decimal[] { SourceRate.FirstPerSecond, SourceRate.FirstPerSecond });
            return () =>
            {
                var passed = TimeSpan.FromMilliseconds(random.Pick([0, 0, 0, 125, 250, 500, 1000, 5000]));
                time.Advance(passed);
                Fill(ref all, inAll, passed);
                for (var i = 0; i < tokens.Length; i++)
                {
                    Fill(ref tokens[i], perSource, passed);
                    Fill(ref firsts[i], SourceRate.FirstPerSecond, passed);
                }

                var source = random.Next(2);
                var slot = shareSlot ? 0 : source;
                var isTaken = TryTake(ref tokens[slot], 0) && TryTake(ref all, TryTake(ref firsts[slot], 0) ? 0 : inAll / 2m);
                Assert.Equal(isTaken, rate.TryTake(sources[source]));
                return $"{source} after {passed}: {isTaken}";
            };
        });

        static void Fill(ref decimal tokens, int capacity, TimeSpan passed) => tokens = Math.Min(capacity, tokens + (capacity * (decimal)passed.TotalSeconds));

        static bool TryTake(ref decimal tokens, decimal kept)
        {
            if (tokens < kept + 1)
                return false;
            tokens--;
            return true;
        }
    }

    /// <summary>The model: the failures of each address with their times, up to the capacity.</summary>
    [Theory]
    [InlineData(3)]
    [InlineData(AddressLockout.Capacity + 1)]
    public void AddressLockout_counts_the_failures_of_each_address(int addresses)
    {
        ModelRun.Compare(10, 3000, random =>
        {
            var (time, most) = (new ManualTime(), random.Pick([1, 2, 5, int.MaxValue]));
            var (lockout, model) = (new AddressLockout(time, most), new Dictionary<string, (int Count, long Last)>());
            for (var i = 0; i < addresses - 1; i++)
            {
                time.Advance(new TimeSpan(1));
                lockout.NoteFailure($"a{i}");
                model[$"a{i}"] = (1, time.GetTimestamp());
            }

            return () =>
            {
                time.Advance(random.Next(addresses > 3 ? 1000 : 50) == 0 ? TimeSpan.FromSeconds(random.NextUpTo(31)) : new TimeSpan(random.Next(1, 100)));
                var (now, address) = (time.GetTimestamp(), $"a{random.Next(addresses)}");
                if (random.Next(10) == 0)
                {
                    lockout.NoteSuccess(address);
                    model.Remove(address);
                }
                else if (random.Next(2) == 0)
                {
                    lockout.NoteFailure(address);
                    var before = model.TryGetValue(address, out var known) && now - known.Last < AddressLockout.LockTime.Ticks ? known.Count : 0;
                    if (model.Count == AddressLockout.Capacity && !model.ContainsKey(address))
                        model.Remove(model.MinBy(static one => one.Value.Last).Key);
                    model[address] = (before + 1, now);
                }

                Assert.Equal(model.TryGetValue(address, out var failures) && failures.Count >= most && now - failures.Last < AddressLockout.LockTime.Ticks, lockout.IsLockedOut(address));
                Assert.False(lockout.IsLockedOut(null));
                return $"{address} of {model.Count}";
            };
        });
    }
}
