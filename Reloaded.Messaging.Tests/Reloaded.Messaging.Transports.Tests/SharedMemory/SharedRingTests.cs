using System;
using System.IO;
using System.Runtime.InteropServices;
using System.Threading;
using System.Threading.Tasks;
using Reloaded.Messaging.Tests.Support;
using Xunit;

namespace Reloaded.Messaging.Tests.SharedMemory;

public sealed class SharedRingTests
{
    private static int s_names;

    private readonly string _name = $"ring-{Environment.ProcessId}-{Interlocked.Increment(ref s_names)}";

    [StructLayout(LayoutKind.Sequential)]
    private struct Sample
    {
        public long Number;
        public long A;
        public long B;
        public int C;

        public static Sample Of(long number) => new() { Number = number, A = ~number, B = number * 3, C = (int)number };

        public readonly bool IsWhole => A == ~Number && B == Number * 3 && C == (int)Number;
    }

    [Fact]
    public void Items_are_read_in_the_order_they_were_written()
    {
        using var writer = SharedRing.Create<Sample>(_name, 8);
        using var reader = SharedRing.Open<Sample>(_name);
        for (var i = 0; i < 100; i++)
        {
            Assert.True(writer.TryWrite(Sample.Of(i)));
            Assert.True(writer.TryWrite(Sample.Of(-i)));
            Assert.True(reader.TryRead(out var first));
            Assert.True(reader.TryRead(out var second));
            Assert.Equal((i, -i), (first.Number, second.Number));
            Assert.True(first.IsWhole && second.IsWhole);
            Assert.False(reader.TryRead(out _));
        }

        Assert.Equal(200, writer.Written);
        Assert.Equal((8, FullMode.Reject), (reader.Capacity, reader.FullMode));
    }

    [Fact]
    public void Reject_full_ring_refuses_and_counts()
    {
        using var writer = SharedRing.Create<int>(_name, 4);
        using var reader = SharedRing.Open<int>(_name);
        for (var i = 0; i < 4; i++)
            Assert.True(writer.TryWrite(i));

        Assert.False(writer.TryWrite(4));
        Assert.False(writer.TryWrite(5));

        Assert.Equal((4, 2), (writer.Written, writer.Dropped));
        Assert.Equal(2, reader.Lost);
        Assert.True(reader.TryRead(out var oldest));
        Assert.Equal(0, oldest);
        Assert.True(writer.TryWrite(6));
    }

    [Fact]
    public void DropOldest_full_ring_loses_the_oldest_and_counts()
    {
        const int Capacity = 16;
        using var writer = SharedRing.Create<int>(_name, Capacity, FullMode.DropOldest);
        using var reader = SharedRing.Open<int>(_name);
        for (var i = 0; i < 100; i++)
            Assert.True(writer.TryWrite(i));

        var (read, next) = (0, 0);
        while (reader.TryRead(out var item))
        {
            Assert.Equal((int)reader.Lost + read, item);
            read++;
            next = item;
        }

        Assert.Equal(99, next);
        Assert.Equal(0, writer.Dropped);
        Assert.Equal(100, reader.Lost + read);
        Assert.InRange(read, Capacity / 2, Capacity);
    }

    [Theory]
    [InlineData(FullMode.Wait)]
    [InlineData(FullMode.Wait + 1)]
    public void Create_with_another_full_mode_names_the_accepted_modes(FullMode fullMode)
    {
        var error = Assert.Throws<ArgumentOutOfRangeException>(() => SharedRing.Create<int>(_name, 4, fullMode));

        Assert.Equal(nameof(fullMode), error.ParamName);
        Assert.StartsWith($"fullMode is {fullMode}; a shared ring accepts Reject or DropOldest. Pass one of these values.", error.Message, StringComparison.Ordinal);
    }

    [Theory]
    [InlineData(FullMode.Reject)]
    [InlineData(FullMode.DropOldest)]
    public async Task Two_threads_never_see_a_torn_item_and_every_item_is_counted(FullMode mode)
    {
        const int Items = 1_000_000;
        using var writer = SharedRing.Create<Sample>(_name, 64, mode);
        using var reader = SharedRing.Open<Sample>(_name);
        var writing = Deadline.RunAside(() =>
        {
            for (var i = 0; i < Items; i++)
            {
                writer.TryWrite(Sample.Of(i));
                if (i % 1000 == 0)
                    Thread.Yield();
            }

            return writer.Written + writer.Dropped;
        });
        var read = 0L;
        await Deadline.RunAside(() =>
        {
            var last = -1L;
            while (true)
            {
                var isDone = writing.IsCompleted;
                while (reader.TryRead(out var sample))
                {
                    if (!sample.IsWhole || sample.Number <= last)
                        Assert.Fail($"Item {sample.Number} came after {last}, whole: {sample.IsWhole}.");
                    last = sample.Number;
                    read++;
                }

                if (isDone)
                    return;
            }
        }).InTime();

        Assert.Equal(Items, await writing);
        Assert.Equal(Items, read + reader.Lost);
    }

    [Fact]
    public void Dispose_of_the_writer_closes_the_ring_and_leaves_its_items()
    {
        var writer = SharedRing.Create<int>(_name, 4);
        using var reader = SharedRing.Open<int>(_name);
        writer.TryWrite(7);
        Assert.False(reader.IsClosed);

        writer.Dispose();
        writer.Dispose();

        Assert.True(reader.IsClosed);
        Assert.True(reader.TryRead(out var item));
        Assert.Equal(7, item);
        Assert.Throws<ObjectDisposedException>(() => writer.TryWrite(8));
        Assert.Throws<FileNotFoundException>(() => SharedRing.Open<int>(_name));
    }

    [Fact]
    public void Create_with_the_name_of_a_live_writer_is_refused()
    {
        using var writer = SharedRing.Create<int>(_name, 4);

        var refusal = Assert.Throws<InvalidOperationException>(() => SharedRing.Create<int>(_name, 4));

        Assert.Contains(_name, refusal.Message, StringComparison.Ordinal);
        Assert.True(writer.TryWrite(1));
    }

    [Fact]
    public void Open_with_another_size_of_items_is_refused()
    {
        using var writer = SharedRing.Create<int>(_name, 4);

        var refusal = Assert.Throws<InvalidDataException>(() => SharedRing.Open<long>(_name));

        Assert.Contains("items of 4 bytes, and System.Int64 has 8", refusal.Message, StringComparison.Ordinal);
    }

    [Theory]
    [InlineData(0)]
    [InlineData(3)]
    [InlineData(1 << 25)]
    public void Create_with_a_capacity_out_of_range_is_refused(int capacity) =>
        Assert.Throws<ArgumentOutOfRangeException>(() => SharedRing.Create<int>(_name, capacity));

    [Fact]
    public unsafe void TryRead_of_a_damaged_ring_throws()
    {
        using var map = new TestMap(SharedRingLayout.SizeFor(4, sizeof(int)));
        using var reader = new SharedRingReader<int>(map.Map, 4, FullMode.Reject, static () => false);
        *(long*)(map.Map.Start + SharedRingLayout.Tail) = 5;

        Assert.Throws<InvalidDataException>(() => reader.TryRead(out _));
    }

    [Theory]
    [InlineData(FullMode.Reject)]
    [InlineData(FullMode.DropOldest)]
    public async Task A_map_that_is_scribbled_over_neither_hangs_a_side_nor_makes_it_leave_the_map(FullMode mode)
    {
        using var map = new TestMap(SharedRingLayout.SizeFor(16, 24));
        using var stopping = new CancellationTokenSource(TimeSpan.FromMilliseconds(300));
        var scribbling = Deadline.RunAside(() => map.Scribble(seed: 5, stopping.Token));
        var calls = 0;
        await Deadline.RunAside(() =>
        {
            while (!stopping.IsCancellationRequested)
            {
                var writer = new SharedRingWriter<(long, long, long)>(map.Map, 16, mode, null);
                var reader = new SharedRingReader<(long, long, long)>(map.Map, 16, mode, static () => false);
                for (var i = 0; i < 20; i++)
                {
                    writer.TryWrite((1, 2, 3));
                    try
                    {
                        reader.TryRead(out _);
                    }
                    catch (InvalidDataException)
                    {
                        break;
                    }
                }

                calls++;
            }
        }).InTime();
        await scribbling.InTime();

        Assert.True(calls > 0);
    }
}
