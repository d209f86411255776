using System.Buffers;
using System.Linq;
using Reloaded.Messaging.Tests.Packing;
using Reloaded.Messaging.Tests.Support;
using Xunit;

namespace Reloaded.Messaging.Tests.Buffers;

/// <summary>A buffer behaves as a list of bytes, through every growth, limit and reuse.</summary>
[Quiet]
public sealed class MessageBufferModelTests
{
    private static readonly int[] s_sizes = [1, 255, MessageBuffer.InitialCapacity, MessageBuffer.MaxRetained / 2, MessageBuffer.MaxRetained, 3 * MessageBuffer.MaxRetained];

    [Fact]
    public void ReusableBuffer_is_a_list_of_bytes_with_a_limit()
    {
        ModelRun.Compare(150, 120, static random =>
        {
            var (reusable, model, limit, limitStart) = (new ReusableBuffer(), new List<byte>(), int.MaxValue, 0);
            var buffer = reusable.Buffer;
            return () =>
            {
                var size = random.NextUpTo(random.Pick(s_sizes));
                var added = new byte[size];
                random.NextBytes(added);
                var room = buffer.Capacity - buffer.Length;
                var exceeds = (long)model.Count + size - limitStart > limit;
                var isBeyond = model.Count - limitStart > limit;
                var text = $"{size} at {model.Count}, limit {limit} from {limitStart}";
                switch (random.Next(14))
                {
                    case 0 or 1 or 2:
                        if (size > room && exceeds)
                        {
                            var thrown = Assert.Throws<MessageTooLargeException>(() => buffer.Write(added));
                            Assert.Equal(((long)model.Count + size - limitStart, limit), (thrown.Size, thrown.Limit));
                            Assert.Equal(room + buffer.Length, buffer.Capacity); // no memory was rented for it
                            break;
                        }

                        buffer.Write(added);
                        model.AddRange(added);
                        break;
                    case 3 or 4 or 5:
                        if (isBeyond && Math.Max(size, 1) > room)
                        {
                            Assert.Throws<MessageTooLargeException>(() => buffer.GetSpan(size));
                            break;
                        }

                        var memory = random.Next(2) == 0 ? buffer.GetMemory(size).Span : buffer.GetSpan(size);
                        Assert.InRange(memory.Length, Math.Max(size, 1), int.MaxValue);
                        Assert.Throws<ArgumentOutOfRangeException>(() => buffer.Advance(buffer.Capacity - buffer.Length + 1));
                        added.CopyTo(memory);
                        buffer.Advance(size);
                        model.AddRange(added);
                        break;
                    case 6 when !isBeyond && size > 0:
                        added.CopyTo(System.Runtime.InteropServices.MemoryMarshal.CreateSpan(ref buffer.Take(size), size));
                        model.AddRange(added);
                        break;
                    case 7 when !isBeyond && size > 0:
                        added.CopyTo(System.Runtime.InteropServices.MemoryMarshal.CreateSpan(ref buffer.Room(size), size));
                        buffer.Extend(size - 1);
                        model.AddRange(added[..^1]);
                        break;
                    case 8 when !isBeyond:
                        var header = BitConverter.GetBytes(random.NextInt64());
                        var bytes = random.Next(1, 8);
                        buffer.AppendHeader(BitConverter.ToUInt64(header), bytes);
                        model.AddRange(header[..bytes]);
                        break;
                    case 9:
                        var kept = random.NextUpTo(model.Count);
                        if (kept > model.Count)
                        {
                            Assert.Throws<ArgumentOutOfRangeException>(() => reusable.Truncate(kept));
                            break;
                        }

                        reusable.Truncate(kept);
                        model.RemoveRange(kept, model.Count - kept);
                        limitStart = Math.Min(limitStart, kept);
                        buffer.LimitFrom(limitStart, limit);
                        break;
                    case 10:
                        (limitStart, limit) = (random.Next(model.Count + 1), random.Next(2) == 0 ? int.MaxValue : random.Pick(s_sizes));
                        buffer.LimitFrom(limitStart, limit);
                        break;
                    case 11:
                        buffer.FrameEnd = buffer.Capacity;
                        Assert.Equal(size <= room, buffer.TryStartFrame(size, out var array, out var start));
                        Assert.Equal(model.Count, start);
                        Assert.Equal(buffer.Capacity, array.Length);
                        if (size > room)
                            break;
                        added.CopyTo(buffer.From(start));
                        model.AddRange(added);
                        break;
                    case 12:
                        buffer.MarkSecret();
                        break;
                    case 13 when random.Next(2) == 0:
                        Empty();
                        text = "emptied";
                        break;
                }

                Assert.Equal(model.Count, reusable.Length);
                Assert.True(buffer.Written.SequenceEqual(model.ToArray()));
                Assert.True(buffer.WrittenMemory.Span.SequenceEqual(buffer.Written));
                return text;
            };

            void Empty()
            {
                var (array, isSecret) = (PackingContracts.ArrayOf(buffer.WrittenMemory), buffer.IsSecret);
                if (random.Next(2) == 0)
                    reusable.Clear();
                else
                    reusable.Dispose();
                if (isSecret)
                    Assert.DoesNotContain(array, static one => one != 0);
                buffer.Restart(int.MaxValue);
                model.Clear();
                (limit, limitStart) = (int.MaxValue, 0);
                Assert.False(buffer.IsSecret || buffer.NeedsCleanup);
                Assert.InRange(buffer.Capacity, MessageBuffer.InitialCapacity, MessageBuffer.MaxRetained);

                // The array that stays is not in the pool as well.
                var rented = Enumerable.Range(0, 4).Select(_ => ArrayPool<byte>.Shared.Rent(buffer.Capacity)).ToArray();
                Assert.DoesNotContain(rented, one => one == PackingContracts.ArrayOf(buffer.WrittenMemory));
                Array.ForEach(rented, static one => ArrayPool<byte>.Shared.Return(one));
                if (random.Next(2) == 0)
                    buffer.Shrink();
            }
        });
    }
}
