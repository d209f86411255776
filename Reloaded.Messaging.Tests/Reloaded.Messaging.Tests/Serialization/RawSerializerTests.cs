using Reloaded.Messaging.Tests.Packing;
using Xunit;

namespace Reloaded.Messaging.Tests.Serialization;

public sealed class RawSerializerTests : SerializerContractTests<ReadOnlyMemory<byte>>
{
    protected override IMessageSerializer<ReadOnlyMemory<byte>> Serializer { get; } = new RawSerializer();

    protected override ReadOnlyMemory<byte>[] Samples { get; } =
        [ReadOnlyMemory<byte>.Empty, new byte[] { 1 }, PackingContracts.Random(10_000, seed: 10)];

    [Fact]
    public void The_payload_is_the_bytes() => Assert.Equal([7, 8, 9], Serialize(new byte[] { 7, 8, 9 }));

    protected override void AssertSame(ReadOnlyMemory<byte> expected, ReadOnlyMemory<byte> actual) =>
        Assert.Equal(expected.ToArray(), actual.ToArray());
}
