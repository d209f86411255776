using Xunit;

namespace Reloaded.Messaging.Tests.Hostile;

public sealed class DeclaredSizeTests
{
    private static readonly byte[] s_payload = Convert.FromHexString(new string('A', 600) + new string('B', 200));

    public static TheoryData<string, uint> Receivers { get; } = new()
    {
        { "brotli", 3 },
        { "brotli", 300 },
        { "lz4", 3 },
        { "lz4", 300 },
    };

    [Theory]
    [MemberData(nameof(Receivers))]
    public void The_true_size_is_believed(string compressor, uint type)
    {
        var receiver = new HostileReceiver(compressor, type);
        Assert.Equal(DispatchStatus.Handled, receiver.Receive(receiver.Pack(s_payload), s_payload.Length));
        Assert.Equal(s_payload, Assert.Single(receiver.Got));
    }

    [Theory]
    [MemberData(nameof(Receivers))]
    public void Any_other_size_within_the_limit_is_corrupt(string compressor, uint type)
    {
        var receiver = new HostileReceiver(compressor, type);
        var good = receiver.Pack(s_payload);
        for (var size = 0; size < 2 * s_payload.Length; size++)
        {
            if (size != s_payload.Length)
                Assert.Equal(DispatchStatus.CorruptPayload, receiver.Receive(good, size));
        }

        Assert.Equal(DispatchStatus.CorruptPayload, receiver.Receive(good, HostileTargets.MaxDecompressedSize));
    }

    [Theory]
    [MemberData(nameof(Receivers))]
    public void A_size_above_the_limit_is_too_large_before_anything_is_rented(string compressor, uint type)
    {
        var receiver = new HostileReceiver(compressor, type);
        var good = receiver.Pack(s_payload);
        receiver.Receive(good, s_payload.Length);

        foreach (var size in new[] { HostileTargets.MaxDecompressedSize + 1, 1 << 20, 1 << 30, int.MaxValue })
        {
            var allocated = GC.GetAllocatedBytesForCurrentThread();
            var status = receiver.Receive(good, size);
            allocated = GC.GetAllocatedBytesForCurrentThread() - allocated;

            Assert.Equal(DispatchStatus.TooLarge, status);
            Assert.InRange(allocated, 0, 4096);
        }
    }

    [Theory]
    [MemberData(nameof(Receivers))]
    public void A_payload_of_exactly_the_limit_is_handled_and_one_byte_more_is_too_large(string compressor, uint type)
    {
        var receiver = new HostileReceiver(compressor, type);
        var largest = new byte[HostileTargets.MaxDecompressedSize];
        Assert.Equal(DispatchStatus.Handled, receiver.Receive(receiver.Pack(largest).Bytes));
        Assert.Equal(largest, Assert.Single(receiver.Got));
        Assert.Equal(DispatchStatus.TooLarge, receiver.Receive(receiver.Pack(new byte[largest.Length + 1]).Bytes));
    }

    [Theory]
    [MemberData(nameof(Receivers))]
    public void A_size_of_zero_is_good_for_a_compressed_payload_of_nothing_alone(string compressor, uint type)
    {
        var receiver = new HostileReceiver(compressor, type);
        var nothing = receiver.Pack(ReadOnlyMemory<byte>.Empty);

        Assert.True(nothing.Header.IsCompressed);
        Assert.Equal(DispatchStatus.Handled, receiver.Receive(nothing.Bytes));
        Assert.Empty(Assert.Single(receiver.Got));
        Assert.Equal(DispatchStatus.CorruptPayload, receiver.Receive(nothing, 1));
        Assert.Equal(DispatchStatus.CorruptPayload, receiver.Receive(nothing.Bytes.AsSpan(0, nothing.HeaderSize)));
        Assert.Equal(DispatchStatus.CorruptPayload, receiver.Receive(receiver.Pack(s_payload), 0));
    }

    [Theory]
    [InlineData("brotli")]
    [InlineData("lz4")]
    public void A_negative_size_is_malformed(string compressor)
    {
        var receiver = new HostileReceiver(compressor);
        var message = receiver.Pack(s_payload).Bytes;
        foreach (var size in new[] { -1, -s_payload.Length, int.MinValue })
        {
            BitConverter.TryWriteBytes(message.AsSpan(1), size);
            Assert.Equal(DispatchStatus.Malformed, receiver.Receive(message));
        }
    }
}
