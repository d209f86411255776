using System.Buffers.Binary;
using Reloaded.Messaging.Tests.Packing;
using Reloaded.Messaging.Wire;
using Xunit;

namespace Reloaded.Messaging.Tests.Compression;

/// <summary>Which payloads a writer compresses.</summary>
public sealed class CompressedMessageTests
{
    private readonly MessageWriter _writer = new();

    [Theory]
    [InlineData(255, false)]
    [InlineData(256, true)]
    [InlineData(257, true)]
    public void Payloads_from_the_threshold_up_are_compressed(int size, bool compressed)
    {
        using var packed = _writer.Pack(Contract(new CompressionOptions(new BrotliCompressor())), new byte[size]);

        Assert.Equal(compressed ? 0x83 : 0x03, packed.Span[0]);
        AssertComesBack(packed, new byte[size]);
        if (compressed)
        {
            Assert.Equal(size, BinaryPrimitives.ReadInt32LittleEndian(packed.Span.Slice(1)));
            Assert.InRange(packed.Length, 6, size);
        }
        else
        {
            Assert.Equal(size + 1, packed.Length);
        }
    }

    [Fact]
    public void A_payload_that_does_not_shrink_goes_out_plain()
    {
        var payload = PackingContracts.Random(1000, seed: 7);
        using var packed = _writer.Pack(Contract(new CompressionOptions(new BrotliCompressor())), payload);

        Assert.Equal([3, .. payload], packed.Span.ToArray());
    }

    [Theory]
    [InlineData(0)]
    [InlineData(1)]
    [InlineData(1000)]
    public void A_payload_that_does_not_shrink_is_compressed_all_the_same_if_the_policy_says_so(int size)
    {
        var payload = PackingContracts.Random(size, seed: 8);
        using var packed = _writer.Pack(Contract(new CompressionOptions(new BrotliCompressor(), threshold: 0, evenIfLarger: true)), payload);

        Assert.Equal(0x83, packed.Span[0]);
        Assert.Equal(size, BinaryPrimitives.ReadInt32LittleEndian(packed.Span.Slice(1)));
        Assert.InRange(packed.Length, size + 5, size + 100);
        AssertComesBack(packed, payload);
    }

    [Theory]
    [InlineData(0, "8300000000")]
    [InlineData(2, "83020000000807")]
    public void Empty_payload_is_compressed_if_the_policy_says_so_and_the_bound_is_zero(int size, string message)
    {
        var contract = Contract(new CompressionOptions(new ReversingCompressor(), threshold: 0, evenIfLarger: true));
        byte[] payload = size == 0 ? [] : [7, 8];
        using var packed = _writer.Pack(contract, payload);

        Assert.Equal(message, Convert.ToHexString(packed.Span));
        var dispatcher = new MessageDispatcher<byte[]?>();
        dispatcher.Register(contract, static (in bytes, ref got) => got = bytes.ToArray());
        byte[]? got = null;
        Assert.Equal(DispatchStatus.Handled, dispatcher.Dispatch(packed.Span, ref got));
        Assert.Equal(payload, got);
    }

    [Theory]
    [InlineData(6, 0x03)]
    [InlineData(5, 0x83)]
    public void Compressing_has_to_save_at_least_a_byte_of_the_whole_message(int compressedSize, byte first)
    {
        // A plain message of 1 + 10 bytes; compressed it has a header of 5.
        using var packed = _writer.Pack(Contract(new CompressionOptions(new FixedSizeCompressor(compressedSize), threshold: 0)), new byte[10]);

        Assert.Equal(first, packed.Span[0]);
        Assert.Equal(first == 0x03 ? 11 : 10, packed.Length);
    }

    [Fact]
    public void An_extended_header_carries_the_size_as_a_uvarint()
    {
        var contract = Contract(new CompressionOptions(new BrotliCompressor()));
        using var packed = _writer.Pack(contract, new byte[1000], MessageKind.Request, 42);

        Assert.Equal("FF01032AE807", Convert.ToHexString(packed.Span.Slice(0, 6)));
    }

    [Fact]
    public void Compressed_messages_in_a_batch_come_back()
    {
        var contract = Contract(new CompressionOptions(new BrotliCompressor()));
        using var batch = new MessageBatch();
        foreach (var size in new[] { 100, 1000, 100_000 })
            _writer.Append(batch, contract, PackingContracts.Filled(size, (byte)size));

        var sizes = new System.Collections.Generic.List<int>();
        foreach (var message in batch)
            sizes.Add(Dispatch(message).Length);

        Assert.Equal([100, 1000, 100_000], sizes);
        Assert.InRange(batch.Length, 100, 300);
    }

    [Fact]
    public void A_compressor_that_breaks_its_own_promise_is_named()
    {
        var contract = Contract(new CompressionOptions(new FixedSizeCompressor(size: 20, promised: 10), threshold: 0, evenIfLarger: true));

        var exception = Assert.Throws<InvalidOperationException>(() => _writer.Pack(contract, new byte[10]));

        Assert.Contains("fixed", exception.Message, StringComparison.Ordinal);
    }

    /// <summary>Reverses the bytes, so the size does not change and no bytes become no bytes.</summary>
    private sealed class ReversingCompressor : IMessageCompressor
    {
        public string Name => "reverse";

        public int GetMaxCompressedSize(int size) => size;

        public bool TryCompress(ReadOnlySpan<byte> source, Span<byte> destination, out int written)
        {
            written = source.Length;
            return TryDecompress(source, destination.Slice(0, written));
        }

        public bool TryDecompress(ReadOnlySpan<byte> source, Span<byte> destination)
        {
            if (source.Length != destination.Length)
                return false;
            source.CopyTo(destination);
            destination.Reverse();
            return true;
        }
    }

    private static MessageContract<ReadOnlyMemory<byte>> Contract(CompressionOptions policy) => new(3, new RawSerializer(), policy);

    private static void AssertComesBack(PackedMessage packed, byte[] payload) => Assert.Equal(payload, Dispatch(packed.Span));

    private static byte[] Dispatch(ReadOnlySpan<byte> message)
    {
        var dispatcher = new MessageDispatcher<byte[]>();
        dispatcher.Register(
            Contract(new CompressionOptions(new BrotliCompressor())),
            static (in ReadOnlyMemory<byte> bytes, ref byte[] result) => result = bytes.ToArray());
        byte[] result = null!;
        Assert.Equal(DispatchStatus.Handled, dispatcher.Dispatch(message, ref result));
        return result;
    }

    private sealed class FixedSizeCompressor(int size, int promised = 100) : IMessageCompressor
    {
        public string Name => "fixed";

        public int GetMaxCompressedSize(int payloadSize) => promised;

        public bool TryCompress(ReadOnlySpan<byte> source, Span<byte> destination, out int written)
        {
            written = destination.Length >= size ? size : 0;
            return written > 0;
        }

        public bool TryDecompress(ReadOnlySpan<byte> source, Span<byte> destination) => false;
    }
}
