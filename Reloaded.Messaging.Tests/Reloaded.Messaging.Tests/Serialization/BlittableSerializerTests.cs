using Reloaded.Messaging.Tests.Packing;
using Xunit;

namespace Reloaded.Messaging.Tests.Serialization;

public sealed class BlittableSerializerTests : StrictSerializerContractTests<Position>
{
    protected override IMessageSerializer<Position> Serializer { get; } = new BlittableSerializer<Position>();

    protected override Position[] Samples { get; } = [default, new(1, -2, int.MaxValue), new(int.MinValue, 0x01020304, -1)];

    protected override (string Reason, byte[] Payload)[] BadPayloads { get; } =
        [("nothing", []), ("a byte less", new byte[11]), ("a byte more", new byte[13]), ("two of them", new byte[24])];

    [Fact]
    public void The_payload_is_little_endian() => Assert.Equal("04030201FFFFFFFF00000000", Convert.ToHexString(Serialize(new Position(0x01020304, -1, 0))));

    [Fact]
    public void A_struct_without_fields_is_an_empty_payload()
    {
        var serializer = new BlittableSerializer<BlittableStructs.Empty>();
        using var packed = new MessageWriter().Pack(new MessageContract<BlittableStructs.Empty>(7, serializer), default);

        Assert.Equal([7], packed.Span.ToArray());
        Assert.True(serializer.TryDeserialize([], out _));
        Assert.False(serializer.TryDeserialize([0], out _));
    }

    [Fact]
    public void Numbers_and_enums_are_messages_themselves()
    {
        using var number = new MessageWriter().Pack(new MessageContract<long>(1, new BlittableSerializer<long>()), 0x0102);
        using var letter = new MessageWriter().Pack(new MessageContract<DayOfWeek>(2, new BlittableSerializer<DayOfWeek>()), DayOfWeek.Friday);

        Assert.Equal([1, 2, 1, 0, 0, 0, 0, 0, 0], number.Span.ToArray());
        Assert.Equal([2, 5, 0, 0, 0], letter.Span.ToArray());
    }

    [Theory]
    [InlineData(4, 8)]
    [InlineData(4, 8, 16)]
    [InlineData]
    public void Field_ends_of_a_struct_of_another_size_are_refused(params int[] ends)
    {
        var refusal = Assert.Throws<NotSupportedException>(() => new BlittableSerializer<Position>(ends));

        Assert.Contains("12 bytes", refusal.Message, StringComparison.Ordinal);
        Assert.Contains($"expects {(ends.Length == 0 ? 0 : ends[^1])}", refusal.Message, StringComparison.Ordinal);
        Assert.Contains("Compile the assembly", refusal.Message, StringComparison.Ordinal);
    }
}
