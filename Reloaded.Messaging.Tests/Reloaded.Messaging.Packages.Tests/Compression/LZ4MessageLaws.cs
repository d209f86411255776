using System.Buffers.Binary;
using System.IO;
using System.Linq;
using System.Text.Json.Nodes;
using Reloaded.Messaging.Tests.Support;
using Xunit;

namespace Reloaded.Messaging.Tests.Compression;

/// <summary>Messages whose contract has a compressor with the format of LZ4.</summary>
public abstract class LZ4MessageLaws
{
    private readonly MessageWriter _writer = new();

    protected abstract IMessageCompressor Compressor { get; }

    [Theory]
    [InlineData(0, false, 0x03)]
    [InlineData(1, false, 0x03)]
    [InlineData(1000, false, 0x83)]
    [InlineData(1000, true, 0x03)] // a payload that does not shrink is sent uncompressed
    [InlineData(900_000, false, 0x83)]
    public void A_packed_message_is_dispatched(int size, bool random, byte first)
    {
        var payload = LZ4Blocks.Payload(size, random);
        using var packed = _writer.Pack(Contract(Compressor), payload);

        Assert.Equal(first, packed.Span[0]);
        AssertArrives(payload, Contract(Compressor), packed.Span);
    }

    [Fact]
    public void A_message_of_docs_vectors_gets_its_status_and_its_payload()
    {
        var contract = Contract(Compressor);
        var cases = JsonNode.Parse(File.ReadAllText(Path.Combine(AppContext.BaseDirectory, "docs", "vectors", "compression.json")))!["cases"]!.AsArray();
        var read = 0;
        foreach (var one in cases.Where(one => (string?)one!["compressor"] == Compressor.Name))
        {
            var (status, payload) = Dispatch(contract, Convert.FromHexString((string)one!["bytes"]!));
            Assert.Equal(((string?)one["status"], (string?)one["payload"]), (status.ToString(), payload is null ? null : Convert.ToHexString(payload)));
            read++;
        }

        Assert.InRange(read, 10, int.MaxValue);
    }

    [Fact]
    public void A_damaged_message_gets_a_status()
    {
        var contract = Contract(Compressor);
        using var packed = _writer.Pack(contract, LZ4Blocks.Payload(1000, random: false));
        var longer = packed.Span.ToArray();
        BinaryPrimitives.WriteInt32LittleEndian(longer.AsSpan(1), 1001);

        Assert.Equal(DispatchStatus.CorruptPayload, Dispatch(contract, longer).Status);
        for (var length = 6; length < packed.Length; length++)
            Assert.Equal(DispatchStatus.CorruptPayload, Dispatch(contract, packed.Span.Slice(0, length)).Status);
    }

    [Fact]
    public void Packing_and_dispatching_allocate_nothing()
    {
        var contract = new MessageContract<Block64>(3, new BlittableSerializer<Block64>(), new CompressionOptions(Compressor, threshold: 0));
        var dispatcher = new MessageDispatcher<long>();
        dispatcher.Register(contract, static (in block, ref sum) => sum += block.A + block.H);
        var value = new Block64(1, 0, 0, 0, 0, 0, 0, 1);
        long sum = 0;
        var compressed = true;

        Assert.Equal(0, Allocation.OfThousand(() =>
        {
            using var packed = _writer.Pack(contract, in value);
            compressed &= packed.Span[0] == 0x83;
            dispatcher.Dispatch(packed.Span, ref sum);
        }));
        Assert.True(compressed);
        Assert.InRange(sum, 2200, long.MaxValue);
    }

    private static MessageContract<ReadOnlyMemory<byte>> Contract(IMessageCompressor compressor) =>
        new(3, new RawSerializer(), new CompressionOptions(compressor));

    private static void AssertArrives(byte[] payload, MessageContract<ReadOnlyMemory<byte>> contract, ReadOnlySpan<byte> message)
    {
        var (status, arrived) = Dispatch(contract, message);
        Assert.Equal(DispatchStatus.Handled, status);
        Assert.Equal(payload, arrived);
    }

    private static (DispatchStatus Status, byte[]? Payload) Dispatch(MessageContract<ReadOnlyMemory<byte>> contract, ReadOnlySpan<byte> message)
    {
        var dispatcher = new MessageDispatcher<byte[]?>();
        dispatcher.Register(contract, static (in bytes, ref result) => result = bytes.ToArray());
        byte[]? result = null;
        return (dispatcher.Dispatch(message, ref result), result);
    }

    private readonly record struct Block64(long A, long B, long C, long D, long E, long F, long G, long H);
}
