using Reloaded.Messaging.Tests.Support;
using Xunit;

namespace Reloaded.Messaging.Tests.SharedMemory;

public sealed class RingTests : IDisposable
{
    private readonly TestMap _map = new();

    public void Dispose() => _map.Dispose();

    [Fact]
    public void Bytes_of_any_size_arrive_in_order_across_the_end_of_the_ring()
    {
        var (producer, consumer) = (_map.NewProducer(), _map.NewConsumer());
        var sizes = new Random(1);
        var sent = new byte[TestMap.Capacity];
        var received = new byte[TestMap.Capacity];
        for (var round = 0; round < 2000; round++)
        {
            var block = sent.AsSpan(0, 1 + sizes.Next(TestMap.Capacity));
            sizes.NextBytes(block);

            Assert.True(producer.TryWrite(block, out var written));
            Assert.Equal(block.Length, written);
            Assert.True(consumer.HasBytes);
            for (var read = 0; read < written;)
            {
                Assert.True(consumer.TryRead(received.AsSpan(read, Math.Min(1 + sizes.Next(TestMap.Capacity), written - read)), out var more));
                Assert.True(more > 0);
                read += more;
            }

            Assert.True(block.SequenceEqual(received.AsSpan(0, written)));
            Assert.False(consumer.HasBytes);
        }
    }

    [Fact]
    public async Task Unread_on_another_thread_is_never_below_zero()
    {
        var (producer, consumer) = (_map.NewProducer(), _map.NewConsumer());
        using var stop = new CancellationTokenSource();
        var moving = Deadline.RunAside(() =>
        {
            var block = new byte[1];
            while (!stop.IsCancellationRequested)
            {
                Assert.True(producer.TryWrite(block, out _));
                Assert.True(consumer.TryRead(block, out _));
            }
        });

        var most = 0u;
        for (var i = Extent.Of(1_000_000, 10_000_000); i > 0; i--)
            most = Math.Max(most, producer.Unread);
        await stop.CancelAsync();
        await moving.InTime();

        Assert.True(most <= int.MaxValue, $"The ring has {most} unread bytes.");
    }

    [Fact]
    public void TryWrite_to_a_nearly_full_ring_writes_what_fits()
    {
        var (producer, consumer) = (_map.NewProducer(), _map.NewConsumer());
        Assert.True(producer.TryWrite(new byte[TestMap.Capacity - 3], out _));

        Assert.True(producer.TryWrite(new byte[10], out var written));
        Assert.Equal(3, written);
        Assert.False(producer.HasRoom);
        Assert.True(producer.TryWrite(new byte[10], out written));
        Assert.Equal(0, written);

        Assert.True(consumer.TryRead(new byte[1], out _));
        Assert.True(producer.HasRoom);
        Assert.True(producer.TryWrite(new byte[10], out written));
        Assert.Equal(1, written);
        Assert.Equal((uint)TestMap.Capacity, producer.Unread);
    }

    [Fact]
    public void Positions_pass_the_largest_number_of_32_bits()
    {
        const uint Start = uint.MaxValue - 5000;
        _map.SetHead(Start);
        _map.SetTail(Start);
        var (producer, consumer) = (_map.NewProducer(Start), _map.NewConsumer(Start));
        var (block, received) = (new byte[1001], new byte[1001]);
        for (var i = 0; i < 20; i++)
        {
            new Random(i).NextBytes(block);
            Assert.True(producer.TryWrite(block, out var written) && written == block.Length);
            Assert.True(consumer.TryRead(received, out var read) && read == block.Length);
            Assert.True(block.AsSpan().SequenceEqual(received));
            Assert.True(producer.HasRoom && !consumer.HasBytes);
        }
    }

    [Theory]
    [InlineData(TestMap.Capacity + 1)]
    [InlineData(int.MaxValue)]
    [InlineData(uint.MaxValue)]
    public void TryRead_with_a_tail_out_of_range_fails(uint tail)
    {
        var consumer = _map.NewConsumer();
        _map.SetTail(tail);

        Assert.False(consumer.TryRead(new byte[10], out var read));
        Assert.Equal(0, read);
    }

    [Theory]
    [InlineData(1)]
    [InlineData(int.MaxValue)]
    [InlineData(0x80000000)]
    public void TryWrite_with_a_head_out_of_range_fails_when_it_needs_the_head(uint head)
    {
        var producer = _map.NewProducer();
        Assert.True(producer.TryWrite(new byte[TestMap.Capacity], out _));
        _map.SetHead(TestMap.Capacity + head);

        Assert.False(producer.TryWrite(new byte[1], out var written));
        Assert.Equal(0, written);
    }

    [Fact]
    public void A_tail_that_changes_after_it_was_read_changes_nothing()
    {
        var (producer, consumer) = (_map.NewProducer(), _map.NewConsumer());
        producer.TryWrite(new byte[] { 1, 2, 3 }, out _);
        Assert.True(consumer.TryRead(new byte[1], out _));
        _map.SetTail(uint.MaxValue);

        var rest = new byte[10];
        Assert.True(consumer.TryRead(rest, out var read));

        Assert.Equal(2, read);
        Assert.Equal([2, 3], rest[..2]);
    }

    [Fact]
    public void The_end_is_seen_with_all_that_was_written_before()
    {
        var (producer, consumer) = (_map.NewProducer(), _map.NewConsumer());
        Assert.Equal(RingEnd.Open, consumer.End);
        producer.TryWrite(new byte[] { 9 }, out _);

        producer.End(RingEnd.Complete);

        Assert.Equal(RingEnd.Complete, consumer.End);
        Assert.True(consumer.HasBytes);
    }

    [Fact]
    public async Task Two_threads_exchange_bytes_whole_and_in_order()
    {
        var total = Extent.Of(400_000, 4_000_000);
        var (producer, consumer) = (_map.NewProducer(), _map.NewConsumer());
        var writing = Deadline.RunAside(() =>
        {
            var sizes = new Random(3);
            var block = new byte[700];
            for (var sent = 0; sent < total;)
            {
                var size = Math.Min(1 + sizes.Next(block.Length), total - sent);
                for (var i = 0; i < size; i++)
                    block[i] = Pattern(sent + i);
                for (var rest = block.AsMemory(0, size); rest.Length > 0;)
                {
                    Assert.True(producer.TryWrite(rest.Span, out var written));
                    rest = rest[written..];
                    if (written == 0)
                        Thread.Yield();
                }

                sent += size;
            }
        });
        var reading = Deadline.RunAside(() =>
        {
            var buffer = new byte[900];
            for (var received = 0; received < total;)
            {
                Assert.True(consumer.TryRead(buffer, out var read));
                for (var i = 0; i < read; i++)
                {
                    if (buffer[i] != Pattern(received + i))
                        Assert.Fail($"Byte {received + i} is {buffer[i]}.");
                }

                received += read;
                if (read == 0)
                    Thread.Yield();
            }
        });

        await Task.WhenAll(writing, reading).InTime();

        static byte Pattern(int index) => (byte)((index * 2654435761L) >> 13);
    }

    [Fact]
    public async Task A_map_that_is_scribbled_over_never_makes_a_side_leave_it()
    {
        using var stopping = new CancellationTokenSource(TimeSpan.FromMilliseconds(500));
        var scribbling = Deadline.RunAside(() => _map.Scribble(seed: 4, stopping.Token));
        var (damaged, fine) = (0, 0);
        var working = Deadline.RunAside(() =>
        {
            var block = new byte[TestMap.Capacity];
            while (!stopping.IsCancellationRequested)
            {
                var (producer, consumer) = (_map.NewProducer(), _map.NewConsumer());
                for (var i = 0; i < 20; i++)
                {
                    var isFine = producer.TryWrite(block, out var written) & consumer.TryRead(block, out var read);
                    _ = isFine ? fine++ : damaged++;
                    Assert.InRange(written, 0, block.Length);
                    Assert.InRange(read, 0, block.Length);
                }
            }
        });

        await Task.WhenAll(scribbling, working).InTime();

        Assert.True(damaged > 0 && fine > 0, $"{damaged} calls failed and {fine} did not.");
    }
}
