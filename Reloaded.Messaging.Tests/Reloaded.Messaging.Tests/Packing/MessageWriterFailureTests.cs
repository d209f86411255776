using System.Buffers;
using Reloaded.Messaging.Tests.Support;
using Reloaded.Messaging.Wire;
using Xunit;

namespace Reloaded.Messaging.Tests.Packing;

/// <summary>A call that throws has packed nothing, and left nothing behind.</summary>
[Quiet]
public sealed class MessageWriterFailureTests
{
    private static readonly MessageContract<int> s_throwing = new(20, new RepeatingSerializer(0x11, throws: true));
    private static readonly MessageContract<int> s_repeating = new(21, new RepeatingSerializer(0x11));

    [Theory]
    [InlineData(0)]
    [InlineData(1000)]
    [InlineData(100_000)]
    public void A_serializer_that_throws_leaves_nothing_behind(int size)
    {
        var writer = new MessageWriter();
        var destination = new ArrayBufferWriter<byte>();
        using var batch = new MessageBatch();
        writer.Append(batch, PackingContracts.Text, "first");
        var frames = batch.Span.ToArray();
        var before = MessagePool.GetStatistics();

        Assert.Throws<FormatException>(() => writer.Pack(s_throwing, size));
        Assert.Throws<FormatException>(() => writer.Pack(s_throwing, size, MessageKind.Request, 1));
        Assert.Throws<FormatException>(() => writer.Write(destination, s_throwing, size));
        Assert.Throws<FormatException>(() => writer.Append(batch, s_throwing, size));

        Assert.Equal(before.Outstanding, MessagePool.GetStatistics().Outstanding);
        Assert.Equal(0, destination.WrittenCount);
        Assert.Equal(1, batch.Count);
        Assert.Equal(frames, batch.Span.ToArray());
        using var next = writer.Pack(PackingContracts.Position, new Position(1, 1, 1));
        Assert.Equal([3, 1, 0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0], next.Span.ToArray());
        writer.Append(batch, PackingContracts.Text, "second");
        Assert.Equal([.. frames, 7, 5, .. "second"u8], batch.Span.ToArray());
    }

    [Fact]
    public void A_compressor_that_throws_leaves_nothing_behind()
    {
        var contract = new MessageContract<int>(22, new RepeatingSerializer(0x11), new CompressionOptions(new ThrowingCompressor()));
        var writer = new MessageWriter();
        using var batch = new MessageBatch();
        var before = MessagePool.GetStatistics();

        Assert.Throws<TimeoutException>(() => writer.Pack(contract, 1000));
        Assert.Throws<TimeoutException>(() => writer.Append(batch, contract, 1000));

        Assert.Equal(before.Outstanding, MessagePool.GetStatistics().Outstanding);
        Assert.Equal(0, batch.Length);
    }

    [Theory]
    [InlineData(-1)]
    [InlineData(996)] // a byte more than the destination has
    [InlineData(int.MaxValue)]
    public void A_compressor_that_returns_a_wrong_size_is_refused_and_leaves_nothing_behind(int size)
    {
        var contract = new MessageContract<int>(22, new RepeatingSerializer(0x11), new CompressionOptions(new MiscountingCompressor(size)));
        var writer = new MessageWriter();
        using var batch = new MessageBatch();
        var before = MessagePool.GetStatistics();

        var thrown = Assert.Throws<InvalidOperationException>(() => writer.Pack(contract, 1000));
        Assert.Throws<InvalidOperationException>(() => writer.Append(batch, contract, 1000));

        Assert.Equal($"The compressor miscounting wrote {size} bytes, and its destination has 995. Set 'written' to the size of the result, or return false if it does not fit.", thrown.Message);
        Assert.Equal(before.Outstanding, MessagePool.GetStatistics().Outstanding);
        Assert.Equal(0, batch.Length);
    }

    [Fact]
    public void A_struct_above_the_limit_is_refused() =>
        AssertRefused(PackingContracts.Large, default, new MessageLimits { MaxMessageSize = 128 }, 129, 128, nameof(MessageLimits.MaxMessageSize));

    [Fact]
    public void A_payload_above_the_limit_is_refused() =>
        AssertRefused(PackingContracts.Bytes, new byte[1000], new MessageLimits { MaxMessageSize = 1000 }, 1001, 1000, nameof(MessageLimits.MaxMessageSize));

    [Fact]
    public void A_serializer_is_stopped_soon_after_the_limit()
    {
        var exception = AssertRefused(s_repeating, int.MaxValue, new MessageLimits { MaxMessageSize = 1000 }, size: null, 1000, nameof(MessageLimits.MaxMessageSize));

        Assert.InRange(exception.Size, 1001, MessageBuffer.MaxRetained);
    }

    [Fact]
    public void A_serializer_that_passes_the_limit_before_compression_is_told_which_one() => AssertRefused(
        new MessageContract<int>(31, new RepeatingSerializer(0x11), new CompressionOptions(new BrotliCompressor())),
        70_000,
        new MessageLimits { MaxDecompressedSize = 1000 },
        size: null,
        1000,
        nameof(MessageLimits.MaxDecompressedSize));

    [Fact]
    public void A_payload_above_the_limit_before_compression_is_refused_however_small_it_gets() =>
        AssertRefused(PackingContracts.Compressed, new byte[5000], new MessageLimits { MaxDecompressedSize = 4999 }, 5000, 4999, nameof(MessageLimits.MaxDecompressedSize));

    [Fact]
    public void A_payload_that_is_above_the_limit_after_compression_is_refused() =>
        AssertRefused(PackingContracts.Compressed, PackingContracts.Random(5000, 3), new MessageLimits { MaxMessageSize = 5000 }, 5001, 5000, nameof(MessageLimits.MaxMessageSize));

    [Fact]
    public void A_raw_payload_above_the_limit_is_refused() => OtherThread.Run(static () =>
    {
        var writer = new MessageWriter(new MessageLimits { MaxMessageSize = 130 });
        var before = Counts();

        var exception = Assert.Throws<MessageTooLargeException>(() => writer.PackRaw(new MessageHeader(3), new byte[130]));

        Assert.Equal((131, 130), (exception.Size, exception.Limit));
        Assert.Equal(before, Counts());

        // Spare buffers of this thread alone: those of others go with any full collection.
        static (int, int, long) Counts() =>
            (ThreadCache.Current.Spare, ThreadCache.Current.Outstanding, MessagePool.GetStatistics().SecondReleases);
    });

    [Fact]
    public void Where_a_prefix_of_two_bytes_may_be_the_limit_the_error_says_that_it_allows_no_more()
    {
        var prefixed = Assert.Throws<MessageTooLargeException>(() => new MessageWriter(new MessageLimits { MaxMessageSize = ushort.MaxValue }).Pack(PackingContracts.Bytes, new byte[70_000]));
        var other = Assert.Throws<MessageTooLargeException>(() => new MessageWriter(new MessageLimits { MaxMessageSize = 1000 }).Pack(PackingContracts.Bytes, new byte[1000]));

        Assert.EndsWith("Send less at a time; a length prefix of two bytes allows no more. Without one, raise the limit in the MessageLimits of both ends.", prefixed.Message, StringComparison.Ordinal);
        Assert.EndsWith("Send less at a time, or raise the limit in the MessageLimits of both ends.", other.Message, StringComparison.Ordinal);
    }

    [Fact]
    public void A_message_that_a_serializer_makes_too_large_is_named()
    {
        var writer = new MessageWriter(new MessageLimits { MaxMessageSize = 1000 });
        using var batch = new MessageBatch();

        var packing = Assert.Throws<MessageTooLargeException>(() => writer.Pack(PackingContracts.Bytes, new byte[70_000]));
        var appending = Assert.Throws<MessageTooLargeException>(() => writer.TryAppend(batch, PackingContracts.Bytes, new byte[70_000]));

        Assert.All([packing, appending], static refused => Assert.StartsWith("System.ReadOnlyMemory`1[System.Byte] takes ", refused.Message, StringComparison.Ordinal));
    }

    [Fact]
    public void Exception_of_a_serializer_about_its_own_limit_stays_as_it_is()
    {
        var (writer, thrown) = (new MessageWriter(), new MessageTooLargeException("The list has 5 items; the limit is 4.", 5, 4));
        var contract = new MessageContract<int>(30, new ThrowingSerializer(thrown));
        using var batch = new MessageBatch();

        Assert.Same(thrown, Assert.Throws<MessageTooLargeException>(() => writer.Pack(contract, 1)));
        Assert.Same(thrown, Assert.Throws<MessageTooLargeException>(() => writer.TryAppend(batch, contract, 1)));
    }

    [Fact]
    public void Messages_of_just_the_limit_are_packed()
    {
        var exact = new MessageWriter(new MessageLimits { MaxMessageSize = 129 });
        using var large = exact.Pack(PackingContracts.Large, default);
        using var bytes = exact.Pack(PackingContracts.Bytes, new byte[128]);
        using var raw = exact.PackRaw(new MessageHeader(3), new byte[128]);
        using var shrunk = new MessageWriter(new MessageLimits { MaxMessageSize = 128, MaxDecompressedSize = 5000 })
            .Pack(PackingContracts.Compressed, new byte[5000]);

        Assert.Equal([129, 129, 129], new[] { large.Length, bytes.Length, raw.Length });
        Assert.InRange(shrunk.Length, 6, 128);
    }

    private static MessageTooLargeException AssertRefused<T>(MessageContract<T> contract, T value, MessageLimits limits, int? size, int limit, string limitName)
    {
        var writer = new MessageWriter(limits);
        using var batch = new MessageBatch();
        writer.Append(batch, PackingContracts.Text, "");
        var before = MessagePool.GetStatistics();
        var destination = new ArrayBufferWriter<byte>();

        var exception = Assert.Throws<MessageTooLargeException>(() => writer.Pack(contract, value));
        var appending = Assert.Throws<MessageTooLargeException>(() => writer.TryAppend(batch, contract, value));
        Assert.Throws<MessageTooLargeException>(() => writer.Write(destination, contract, value));

        Assert.Equal(limit, exception.Limit);
        Assert.Equal(limit, appending.Limit);
        Assert.Equal(size ?? exception.Size, exception.Size);
        Assert.Equal(size ?? appending.Size, appending.Size);
        Assert.Contains($" {exception.Size} ", exception.Message, StringComparison.Ordinal);
        Assert.Contains($" the limit {limitName} is {limit}.", exception.Message, StringComparison.Ordinal);
        Assert.Contains($" the limit {limitName} is {limit}.", appending.Message, StringComparison.Ordinal);
        Assert.Equal(before.Outstanding, MessagePool.GetStatistics().Outstanding);
        Assert.Equal([1, 5], batch.Span.ToArray());
        Assert.Equal(1, batch.Count);
        Assert.Equal(0, destination.WrittenCount);
        return exception;
    }

    private sealed class ThrowingSerializer(Exception exception) : IMessageSerializer<int>
    {
        public string Name => "throwing";

        public void Serialize(in int value, MessageBuffer buffer) => throw exception;

        public bool TryDeserialize(ReadOnlySpan<byte> payload, out int value) => throw exception;
    }

    private sealed class ThrowingCompressor : IMessageCompressor
    {
        public string Name => "throwing";

        public int GetMaxCompressedSize(int size) => size;

        public bool TryCompress(ReadOnlySpan<byte> source, Span<byte> destination, out int written) => throw new TimeoutException();

        public bool TryDecompress(ReadOnlySpan<byte> source, Span<byte> destination) => false;
    }

    private sealed class MiscountingCompressor(int size) : IMessageCompressor
    {
        public string Name => "miscounting";

        public int GetMaxCompressedSize(int size) => size;

        public bool TryCompress(ReadOnlySpan<byte> source, Span<byte> destination, out int written)
        {
            written = size;
            return true;
        }

        public bool TryDecompress(ReadOnlySpan<byte> source, Span<byte> destination) => false;
    }
}
