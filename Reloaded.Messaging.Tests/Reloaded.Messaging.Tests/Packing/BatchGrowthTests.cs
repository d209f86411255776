using Xunit;

namespace Reloaded.Messaging.Tests.Packing;

/// <summary>The limits are each message's: how much a batch holds already is no part of them.</summary>
public sealed class BatchGrowthTests
{
    private static readonly MessageContract<long> s_number = new(1, new BlittableSerializer<long>());
    private static readonly MessageContract<ReadOnlyMemory<byte>> s_bytes = new(2, new RawSerializer());

    [Fact]
    public void A_batch_grows_past_the_message_limit_after_a_message_of_any_serializer()
    {
        var writer = new MessageWriter(new MessageLimits { MaxMessageSize = 1000, MaxDecompressedSize = 1000 });
        using var batch = new MessageBatch();

        writer.Append(batch, s_bytes, new byte[10]);
        for (long i = 0; i < 10_000; i++)
            writer.Append(batch, s_number, i);

        Assert.Equal(10_001, batch.Count);
        Assert.Equal(12 + (10_000 * 10), batch.Length);
    }

    [Fact]
    public void A_message_of_exactly_the_limit_fits_a_batch_wherever_its_buffer_ends()
    {
        foreach (var size in new[] { 16_384, 65_533, 65_534, 65_535, 65_536 })
        {
            var writer = new MessageWriter(new MessageLimits { MaxMessageSize = size });
            using var batch = new MessageBatch();
            writer.Append(batch, s_bytes, new byte[size - 1]);

            var sizes = new List<int>();
            foreach (var message in batch)
                sizes.Add(message.Length);
            Assert.Equal(size, Assert.Single(sizes));
        }
    }
}
