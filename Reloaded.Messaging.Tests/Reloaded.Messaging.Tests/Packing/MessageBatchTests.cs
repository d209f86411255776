using Reloaded.Messaging.Wire;
using Xunit;

namespace Reloaded.Messaging.Tests.Packing;

public sealed class MessageBatchTests
{
    private readonly MessageWriter _writer = new(new MessageLimits { MaxMessageSize = 8 << 20 });

    [Theory]
    [InlineData(1, 1)]
    [InlineData(2, 1)]
    [InlineData(127, 1)]
    [InlineData(128, 2)]
    [InlineData(129, 2)]
    [InlineData(16_383, 2)]
    [InlineData(16_384, 3)]
    [InlineData((1 << 21) - 1, 3)]
    [InlineData(1 << 21, 4)]
    public void A_frame_is_the_shortest_length_and_the_message(int size, int prefix)
    {
        using var batch = new MessageBatch(8 << 20);
        var payload = PackingContracts.Random(size - 1, size);
        _writer.Append(batch, PackingContracts.Text, "a");
        _writer.Append(batch, PackingContracts.Bytes, payload);
        _writer.Append(batch, PackingContracts.Text, "b");

        var expected = new byte[prefix];
        Assert.Equal(prefix, UVarint.Write(expected, (uint)size));
        byte[] frames = [2, 5, (byte)'a', .. expected, 4, .. payload, 2, 5, (byte)'b'];
        Assert.True(batch.Span.SequenceEqual(frames));
        Assert.Equal(3, batch.Count);
        Assert.Equal([[5, (byte)'a'], [4, .. payload], [5, (byte)'b']], Messages(batch));
    }

    [Fact]
    public void TryAppend_of_packed_messages_writes_frames_until_batch_is_full()
    {
        using var batch = new MessageBatch(maxSize: 5 + 2 + 128);
        byte[] longest = [4, .. PackingContracts.Random(127, 1)];
        _writer.Append(batch, PackingContracts.Text, "a");

        Assert.True(batch.TryAppend([7]));
        Assert.True(batch.TryAppend(longest));
        Assert.False(batch.TryAppend([7]));

        Assert.Equal([[5, (byte)'a'], [7], longest], Messages(batch));
        Assert.Equal(batch.MaxSize, batch.Length);
        batch.Clear();
        Assert.Equal(0, batch.Count);
        Assert.Throws<MessageTooLargeException>(() => batch.TryAppend(new byte[batch.MaxSize]));
        Assert.Throws<ArgumentException>("message", () => batch.TryAppend([]));
        Assert.Equal(0, batch.Length);
    }

    [Fact]
    public void Structs_and_bytes_of_all_sizes_come_out_in_the_order_they_went_in()
    {
        using var batch = new MessageBatch();
        var random = new Random(5);
        for (var round = 0; round < 3; round++)
        {
            var expected = new List<byte[]>();
            for (var i = 0; i < 300; i++)
            {
                if (i % 2 == 0)
                {
                    _writer.Append(batch, PackingContracts.Position, new Position(i, 0, 0));
                    expected.Add([3, (byte)i, (byte)(i >> 8), 0, 0, 0, 0, 0, 0, 0, 0, 0, 0]);
                }
                else
                {
                    var bytes = PackingContracts.Random(random.Next(400), i);
                    _writer.Append(batch, PackingContracts.Bytes, bytes);
                    expected.Add([4, .. bytes]);
                }
            }

            Assert.Equal(expected, Messages(batch));
            Assert.Equal(batch.Span.ToArray(), batch.Memory.ToArray());
            batch.Clear();
            Assert.Equal((0, 0), (batch.Count, batch.Length));
            Assert.Empty(Messages(batch));
        }
    }

    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public void The_limit_of_one_message_does_not_stop_the_structs_behind_it(bool failed)
    {
        var writer = new MessageWriter(new MessageLimits { MaxMessageSize = 1000 });
        using var batch = new MessageBatch();
        writer.Append(batch, PackingContracts.Text, "not a struct");
        if (failed)
            Assert.Throws<MessageTooLargeException>(() => writer.Append(batch, PackingContracts.Bytes, new byte[1000]));

        for (var i = 0; i < 1000; i++)
            writer.Append(batch, PackingContracts.Position, new Position(i, i, i));

        Assert.Equal(1001, batch.Count);
    }

    [Theory]
    [InlineData(42)]
    [InlineData(28)]
    [InlineData(14)]
    public void Structs_fill_it_to_the_byte(int maxSize)
    {
        using var batch = new MessageBatch(maxSize);

        for (var i = 0; i < maxSize / 14; i++)
            Assert.True(_writer.TryAppend(batch, PackingContracts.Position, new Position(i, i, i)));

        Assert.Equal(maxSize, batch.Length);
        AssertFull(batch);
    }

    [Theory]
    [InlineData(0)]
    [InlineData(1)]
    [InlineData(13)]
    public void A_struct_that_misses_a_byte_is_refused(int room)
    {
        using var batch = new MessageBatch(14 + room);
        _writer.Append(batch, PackingContracts.Position, default);

        AssertFull(batch);
    }

    [Theory]
    [InlineData(126, 1)]
    [InlineData(127, 2)]
    [InlineData(16_382, 2)]
    [InlineData(16_383, 3)]
    public void Bytes_fill_it_to_the_byte_and_not_past_it(int payload, int prefix)
    {
        using var exact = new MessageBatch(2 + prefix + 1 + payload);
        using var oneLess = new MessageBatch(2 + prefix + payload);
        _writer.Append(exact, PackingContracts.Text, "");
        _writer.Append(oneLess, PackingContracts.Text, "");

        Assert.True(_writer.TryAppend(exact, PackingContracts.Bytes, new byte[payload]));
        Assert.False(_writer.TryAppend(oneLess, PackingContracts.Bytes, new byte[payload]));

        Assert.Equal(exact.MaxSize, exact.Length);
        Assert.Equal([1, 5], oneLess.Span.ToArray());
        Assert.Equal(1, oneLess.Count);
    }

    [Fact]
    public void A_message_larger_than_an_empty_batch_throws_and_leaves_it_empty()
    {
        using var batch = new MessageBatch(13);

        var structs = Assert.Throws<MessageTooLargeException>(() => _writer.TryAppend(batch, PackingContracts.Position, default));
        var bytes = Assert.Throws<MessageTooLargeException>(() => _writer.TryAppend(batch, PackingContracts.Bytes, new byte[200]));

        Assert.Equal((14, 13), (structs.Size, structs.Limit));
        Assert.Equal((203, 13), (bytes.Size, bytes.Limit));
        Assert.Equal((0, 0), (batch.Count, batch.Length));
    }

    [Theory]
    [InlineData(1)]
    [InlineData(0)]
    [InlineData(-5)]
    [InlineData(int.MaxValue)]
    public void A_maximum_out_of_range_is_refused(int maxSize)
    {
        var exception = Assert.Throws<ArgumentOutOfRangeException>(() => new MessageBatch(maxSize));

        Assert.Equal("maxSize", exception.ParamName);
        Assert.StartsWith($"maxSize is {maxSize}; the range is 2 to {0x7FFFFFC7}.", exception.Message, StringComparison.Ordinal);
    }

    [Fact]
    public void The_smallest_batch_holds_an_empty_message()
    {
        using var batch = new MessageBatch(2);

        _writer.Append(batch, PackingContracts.Text, "");

        Assert.Equal([1, 5], batch.Span.ToArray());
    }

    [Fact]
    public void A_disposed_batch_throws_and_may_be_disposed_again()
    {
        var batch = new MessageBatch();
        _writer.Append(batch, PackingContracts.Position, default);
        batch.Dispose();
        batch.Dispose();

        Assert.Throws<ObjectDisposedException>(() => batch.Length);
        Assert.Throws<ObjectDisposedException>(() => batch.Memory);
        Assert.Throws<ObjectDisposedException>(() => { _ = batch.Span.Length; });
        Assert.Throws<ObjectDisposedException>(() => { _ = batch.GetEnumerator(); });
        Assert.Throws<ObjectDisposedException>(batch.Clear);
        Assert.Throws<ObjectDisposedException>(() => _writer.Append(batch, PackingContracts.Position, default));
        Assert.Throws<ObjectDisposedException>(() => _writer.TryAppend(batch, PackingContracts.Text, ""));
    }

    private void AssertFull(MessageBatch batch)
    {
        var frames = batch.Span.ToArray();
        var count = batch.Count;

        Assert.False(_writer.TryAppend(batch, PackingContracts.Position, default));
        var exception = Assert.Throws<InvalidOperationException>(() => _writer.Append(batch, PackingContracts.Position, default));

        Assert.Contains($"{frames.Length} of {batch.MaxSize} bytes", exception.Message, StringComparison.Ordinal);
        Assert.Equal(frames, batch.Span.ToArray());
        Assert.Equal(count, batch.Count);
    }

    private static List<byte[]> Messages(MessageBatch batch)
    {
        var messages = new List<byte[]>();
        foreach (var message in batch)
            messages.Add(message.ToArray());
        return messages;
    }
}
