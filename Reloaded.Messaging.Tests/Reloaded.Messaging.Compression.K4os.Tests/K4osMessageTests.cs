using System;
using System.Buffers.Binary;
using Reloaded.Messaging.Compression.K4os;
using Reloaded.Messaging.Tests.Support;
using Xunit;

namespace Reloaded.Messaging.Tests.Compression;

/// <summary>Messages whose contract compresses with K4os.</summary>
public sealed class K4osMessageTests
{
    private readonly MessageWriter _writer = new();

    [Theory]
    [InlineData(0, false, 0x03)]
    [InlineData(1, false, 0x03)]
    [InlineData(1000, false, 0x83)]
    [InlineData(1000, true, 0x03)] // a payload that does not shrink is sent uncompressed
    [InlineData(900_000, false, 0x83)]
    public void A_packed_message_is_dispatched(int size, bool random, byte first)
    {
        var payload = LZ4Blocks.Payload(size, random);
        using var packed = _writer.Pack(Contract(new K4osCompressor()), payload);

        Assert.Equal(first, packed.Span[0]);
        AssertArrives(payload, Contract(new K4osCompressor()), packed.Span);
    }

    [Fact]
    public void One_end_may_use_liblz4()
    {
        var here = Contract(new K4osCompressor());
        var there = Contract(NativeLZ4.Create());
        var payload = LZ4Blocks.Payload(5000, random: false);
        using var fromHere = _writer.Pack(here, payload);
        using var fromThere = _writer.Pack(there, payload);

        AssertArrives(payload, there, fromHere.Span);
        AssertArrives(payload, here, fromThere.Span);
    }

    [Fact]
    public void A_damaged_message_gets_a_status()
    {
        var contract = Contract(new K4osCompressor());
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
        var contract = new MessageContract<Block64>(3, new BlittableSerializer<Block64>(), new CompressionOptions(new K4osCompressor(), threshold: 0));
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
