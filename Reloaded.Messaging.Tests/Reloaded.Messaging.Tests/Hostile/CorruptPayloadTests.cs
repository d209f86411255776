using System.Text;
using Xunit;

namespace Reloaded.Messaging.Tests.Hostile;

public sealed class CorruptPayloadTests
{
    private static readonly byte[] s_payload = Encoding.UTF8.GetBytes("Lorem ipsum dolor sit amet, ipsum dolor sit amet, dolor sit amet, sit amet, amet.");

    [Theory]
    [InlineData("brotli")]
    [InlineData("lz4")]
    public void Bytes_behind_a_compressed_payload_are_corrupt(string compressor)
    {
        var receiver = new HostileReceiver(compressor);
        var good = receiver.Pack(s_payload).Bytes;

        Assert.Equal(DispatchStatus.Handled, receiver.Receive(good));
        for (var next = 0; next < 256; next++)
        {
            Assert.Equal(DispatchStatus.CorruptPayload, receiver.Receive([.. good, (byte)next]));
            Assert.Equal(DispatchStatus.CorruptPayload, receiver.Receive([.. good, 0, (byte)next]));
        }
    }

    [Theory]
    [InlineData("brotli")]
    [InlineData("lz4")]
    public void A_compressed_payload_behind_another_is_corrupt(string compressor)
    {
        var receiver = new HostileReceiver(compressor);
        var good = receiver.Pack(s_payload);
        Assert.Equal(DispatchStatus.CorruptPayload, receiver.Receive([.. good.Bytes, .. good.Payload]));
    }

    [Theory]
    [InlineData("brotli")]
    [InlineData("lz4")]
    public void Every_truncation_of_a_compressed_payload_is_corrupt(string compressor)
    {
        var receiver = new HostileReceiver(compressor);
        var good = receiver.Pack(s_payload);
        for (var length = good.HeaderSize; length < good.Bytes.Length; length++)
            Assert.Equal(DispatchStatus.CorruptPayload, receiver.Receive(good.Bytes.AsSpan(0, length)));
    }

    [Theory]
    [InlineData("brotli")]
    [InlineData("lz4")]
    public void Every_flipped_bit_of_a_compressed_payload_is_corrupt_or_leaves_a_payload_of_the_declared_size(string compressor)
    {
        var receiver = new HostileReceiver(compressor);
        var good = receiver.Pack(s_payload);
        var corrupt = 0;
        for (var bit = good.HeaderSize * 8; bit < good.Bytes.Length * 8; bit++)
        {
            var broken = (byte[])good.Bytes.Clone();
            broken[bit / 8] ^= (byte)(1 << (bit % 8));
            var status = receiver.Receive(broken);
            if (status == DispatchStatus.Handled)
                continue;

            Assert.Equal(DispatchStatus.CorruptPayload, status);
            corrupt++;
        }

        Assert.True(corrupt > 0, "No bit of the payload matters.");
        Assert.All(receiver.Got, got => Assert.Equal(s_payload.Length, got.Length));
    }

    [Theory]
    [InlineData("brotli")]
    [InlineData("lz4")]
    public void What_another_compressor_made_is_corrupt(string compressor)
    {
        var receiver = new HostileReceiver(compressor);
        var foreign = new HostileReceiver(compressor == "lz4" ? "brotli" : "lz4").Pack(s_payload);
        Assert.Equal(DispatchStatus.CorruptPayload, receiver.Receive(foreign.Bytes));
    }

    [Theory]
    [InlineData("brotli")]
    [InlineData("lz4")]
    public void A_compressed_flag_on_a_type_without_a_compressor_is_malformed(string compressor)
    {
        foreach (var type in new uint[] { 3, 300 })
        {
            var receiver = new HostileReceiver(compressor: null, type);
            Assert.Equal(DispatchStatus.Malformed, receiver.Receive(new HostileReceiver(compressor, type).Pack(s_payload).Bytes));
        }
    }
}
