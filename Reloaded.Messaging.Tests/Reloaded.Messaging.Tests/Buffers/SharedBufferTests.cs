using Reloaded.Messaging.Tests.Packing;
using Reloaded.Messaging.Tests.Support;
using Xunit;

namespace Reloaded.Messaging.Tests.Buffers;

/// <summary>A buffer or a batch that two threads use at the same time, which is not allowed: it may throw or mix bytes, and writes nothing outside of its array.</summary>
public sealed class SharedBufferTests
{
    private const int Beyond = 100_000;

    [Fact]
    public void Frame_does_not_begin_outside_of_an_array_that_was_replaced_meanwhile()
    {
        using var reusable = new ReusableBuffer();
        var buffer = reusable.Buffer;
        buffer.Take(Beyond);
        buffer.FrameEnd = buffer.Capacity;

        buffer.Clean(); // by another thread, which has not changed the end of the frames yet
        buffer.Extend(Beyond); // by this thread, which had read the length before

        Assert.False(buffer.TryStartFrame(1, out _, out _));
    }

    [Theory]
    [InlineData(Beyond)]
    [InlineData(-5)]
    [InlineData(int.MinValue)]
    public void Bytes_are_not_taken_from_or_seen_outside_of_the_array(int length)
    {
        Action<MessageBuffer>[] uses =
        [
            static buffer => buffer.Take(10) = 1,
            static buffer => buffer.Room(10) = 1,
            static buffer => _ = buffer.From(buffer.Length).Length,
            static buffer => _ = buffer.Written.Length,
            static buffer => buffer.WriteString("text"),
            static buffer => Assert.True(buffer.TryStartFrame(10, out _, out _), "The buffer refuses the frame."),
        ];
        Assert.All(uses, use =>
        {
            var buffer = new MessageBuffer(home: null);
            buffer.FrameEnd = buffer.Capacity;
            buffer.Extend(length); // a length that belongs to another array, or that two threads have subtracted from
            Assert.ThrowsAny<Exception>(() => use(buffer));
        });
    }

    [Fact]
    public void Threads_that_share_a_batch_get_exceptions_and_write_nothing_outside_of_its_array()
    {
        var batch = new MessageBatch(2 * Beyond);
        var text = new string('x', 5000);
        var neighbors = new byte[256][];
        var rounds = Extent.Of(20_000, 200_000);
        var threads = Array.ConvertAll([0, 1, 2, 3], seed => OtherThread.Start(() =>
        {
            var random = new Random(seed);
            var writer = new MessageWriter();
            for (var round = 0; round < rounds; round++)
            {
                try
                {
                    Use(writer, random.Next(12));
                }
                catch (Exception e) when (e is InvalidOperationException or ArgumentException or IndexOutOfRangeException)
                {
                    // Which calls fail depends on the threads.
                }

                neighbors[random.Next(neighbors.Length)] = new byte[random.Next(16, 256)];
            }
        }));

        Array.ForEach(threads, OtherThread.Join);

        Assert.All(neighbors, static neighbor => Assert.DoesNotContain(neighbor ?? [], static one => one != 0));

        void Use(MessageWriter writer, int operation)
        {
            var shared = Volatile.Read(ref batch);
            switch (operation)
            {
                case 0:
                    shared.Clear();
                    break;
                case 1:
                    Volatile.Write(ref batch, new MessageBatch(2 * Beyond));
                    shared.Dispose();
                    break;
                case 2:
                    writer.TryAppend(shared, PackingContracts.Text, text);
                    break;
                default:
                    writer.TryAppend(shared, PackingContracts.Position, new Position(-1, -1, -1));
                    break;
            }
        }
    }
}
