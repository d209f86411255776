using Xunit;

namespace Reloaded.Messaging.Tests.Packing;

/// <summary>The limit before compression is the payload's: the header is no part of it, however the serializer writes.</summary>
public sealed class PayloadLimitTests
{
    private static readonly MessageContract<ReadOnlyMemory<byte>> s_contract =
        new(uint.MaxValue, new DrippingSerializer(), new CompressionOptions(new BrotliCompressor(), threshold: 0));

    // Around 4096, where a buffer that has just grown is full.
    public static TheoryData<int> Sizes { get; } = [4087, 4088, 4089, 4090, 4091, 4095, 4096, 4097];

    [Theory]
    [MemberData(nameof(Sizes))]
    public Task A_payload_of_exactly_the_limit_is_packed_and_one_byte_more_is_not(int size) => OnFreshBuffers(() =>
    {
        var writer = new MessageWriter(new MessageLimits { MaxMessageSize = 1000, MaxDecompressedSize = size });
        using var packed = writer.Pack(s_contract, new byte[size]);
        Assert.InRange(packed.Length, 8, 100);
        Assert.Throws<MessageTooLargeException>(() => writer.Pack(s_contract, new byte[size + 1]));
    });

    [Theory]
    [MemberData(nameof(Sizes))]
    public Task A_payload_of_exactly_the_limit_is_appended_to_a_batch_and_one_byte_more_is_not(int size) => OnFreshBuffers(() =>
    {
        var writer = new MessageWriter(new MessageLimits { MaxMessageSize = 1000, MaxDecompressedSize = size });
        using var batch = new MessageBatch();
        writer.Append(batch, s_contract, new byte[size]);
        var length = batch.Length;
        Assert.Throws<MessageTooLargeException>(() => writer.Append(batch, s_contract, new byte[size + 1]));
        Assert.Equal(length, batch.Length);
        Assert.Equal(1, batch.Count);
    });

    /// <summary>Runs on a thread of its own, whose buffers start small: one that had grown before would have room by chance.</summary>
    private static Task OnFreshBuffers(Action test) => Task.Factory.StartNew(test, default, TaskCreationOptions.LongRunning, TaskScheduler.Default);
}
