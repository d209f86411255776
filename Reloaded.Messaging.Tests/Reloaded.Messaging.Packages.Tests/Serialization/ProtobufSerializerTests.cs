using Google.Protobuf;
using Google.Protobuf.WellKnownTypes;
using Reloaded.Messaging.Serialization.Protobuf;
using Reloaded.Messaging.Tests.Support;
using Xunit;

namespace Reloaded.Messaging.Tests.Serialization;

/// <summary>Tried with the value type that Google.Protobuf ships: nested messages, maps, strings, numbers and a union.</summary>
public sealed class ProtobufSerializerTests : StrictSerializerContractTests<Value>
{
    private static readonly MessageContract<Timestamp> s_time = new(7, new ProtobufSerializer<Timestamp>(Timestamp.Parser));

    protected override IMessageSerializer<Value> Serializer { get; } = new ProtobufSerializer<Value>(Value.Parser);

    protected override Value[] Samples { get; } =
    [
        new Value(),
        Value.ForNumber(42.5),
        Value.ForString("Grüße, 世界 🎮"),
        Value.ForList(Value.ForBool(true), Value.ForNull(), Value.ForString(new string('x', 300))),
        Value.ForStruct(new Struct { Fields = { ["mod"] = Value.ForStruct(new Struct { Fields = { ["loaded"] = Value.ForBool(false) } }) } }),
    ];

    protected override (string Reason, byte[] Payload)[] BadPayloads { get; } =
    [
        ("a field number of 0", [0x00, 0x01]),
        ("a number that ends too early", [0x11, 0x00, 0x00]),
        ("a string said to be longer than what is left", [0x1A, 0x05, (byte)'a']),
        ("a string said to be 2 GiB", [0x1A, 0xFF, 0xFF, 0xFF, 0xFF, 0x07]),
        ("a varint without an end", [0x08, 0x80]),
        ("an end of a group that never began", [0x0C]),
        ("lists in lists in lists, 500 deep", Nested(500)),
    ];

    [Fact]
    public void The_payload_is_what_google_protobuf_writes() => Assert.All(Samples, sample => Assert.Equal(sample.ToByteArray(), Serialize(sample)));

    [Fact]
    public void A_message_is_packed_dispatched_and_read_back()
    {
        var time = Timestamp.FromDateTime(DateTime.UnixEpoch.AddDays(1));
        var dispatcher = new MessageDispatcher<Timestamp?>();
        dispatcher.Register(s_time, static (in message, ref state) => state = message);

        using var packed = new MessageWriter().Pack(s_time, time);
        Timestamp? received = null;

        Assert.Equal(DispatchStatus.Handled, dispatcher.Dispatch(packed.Span, ref received));
        Assert.Equal(time, received);
        Assert.NotSame(time, received);
    }

    [Fact]
    public void Sending_allocates_nothing()
    {
        var writer = new MessageWriter();
        var time = new Timestamp { Seconds = 1_700_000_000, Nanos = 5 };

        Assert.Equal(0, Allocation.OfThousand(() => writer.Pack(s_time, time).Dispose()));
    }

    [Fact]
    public void A_message_above_the_limit_is_refused()
    {
        var contract = new MessageContract<Value>(8, new ProtobufSerializer<Value>(Value.Parser));
        var writer = new MessageWriter(new MessageLimits { MaxMessageSize = 1000 });

        var exception = Assert.Throws<MessageTooLargeException>(() => { writer.Pack(contract, Value.ForString(new string('x', 1000))); });

        Assert.Equal(1000, exception.Limit);
    }

    [Fact]
    public void Fields_of_a_newer_schema_are_kept()
    {
        byte[] newer = [0x08, 0x05, 0x78, 0x01]; // seconds = 5, and a field 15 that Timestamp does not have

        Assert.True(s_time.Serializer.TryDeserialize(newer, out var time));

        Assert.Equal(5, time.Seconds);
        Assert.Equal(newer, time.ToByteArray());
    }

    [Fact]
    public void Null_is_not_sent() => Assert.Throws<ArgumentNullException>(() => Serialize(null!));

    [Fact]
    public void A_serializer_without_a_parser_is_refused() => Assert.Throws<ArgumentNullException>(() => new ProtobufSerializer<Value>(null!));

    private static byte[] Nested(int depth)
    {
        byte[] payload = [];
        for (var i = 0; i < depth; i++)
            payload = Field(6, Field(1, payload)); // a list of one value
        return payload;
    }

    private static byte[] Field(int number, byte[] content)
    {
        var result = new byte[CodedOutputStream.ComputeTagSize(number) + CodedOutputStream.ComputeLengthSize(content.Length) + content.Length];
        using var output = new CodedOutputStream(result);
        output.WriteTag(number, WireFormat.WireType.LengthDelimited);
        output.WriteBytes(ByteString.CopyFrom(content));
        output.Flush();
        return result;
    }
}
