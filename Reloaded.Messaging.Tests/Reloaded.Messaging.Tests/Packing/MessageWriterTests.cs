using System.Buffers;
using System.Text;
using Reloaded.Messaging.Wire;
using Xunit;

namespace Reloaded.Messaging.Tests.Packing;

public sealed class MessageWriterTests
{
    private static readonly byte[] s_positionPayload = [1, 0, 0, 0, 2, 0, 0, 0, 255, 255, 255, 255];
    private static readonly Position s_position = new(1, 2, -1);
    private readonly MessageWriter _writer = new();

    [Fact]
    public void A_struct_is_its_type_and_its_own_bytes()
    {
        using var packed = _writer.Pack(PackingContracts.Position, s_position);

        Assert.Equal([3, .. s_positionPayload], packed.Span.ToArray());
    }

    [Fact]
    public void PackObject_without_a_contract_or_a_message_throws()
    {
        Assert.Throws<ArgumentNullException>("contract", () => _writer.PackObject(null!, s_position));
        Assert.Throws<ArgumentNullException>("value", () => _writer.PackObject(PackingContracts.Position, null!));
    }

    [Fact]
    public void A_secret_struct_looks_the_same_on_the_wire()
    {
        using var packed = _writer.Pack(PackingContracts.SecretPosition, s_position);

        Assert.Equal([7, .. s_positionPayload], packed.Span.ToArray());
    }

    [Theory]
    [InlineData(0u, "00")]
    [InlineData(126u, "7E")]
    [InlineData(127u, "7F007F")]
    [InlineData(300u, "7F00AC02")]
    [InlineData(uint.MaxValue, "7F00FFFFFFFF0F")]
    public void Types_up_to_126_take_one_byte_and_others_the_extended_form(uint type, string header)
    {
        var contract = new MessageContract<Position>(type, new BlittableSerializer<Position>());
        using var packed = _writer.Pack(contract, s_position);

        Assert.Equal([.. Convert.FromHexString(header), .. s_positionPayload], packed.Span.ToArray());
    }

    [Theory]
    [InlineData(MessageKind.Event, 0u, "03")]
    [InlineData(MessageKind.Request, 42u, "7F01032A")]
    [InlineData(MessageKind.Reply, 300u, "7F0203AC02")]
    [InlineData(MessageKind.Fault, 0u, "7F030300")]
    [InlineData(MessageKind.Control, 0u, "7F0403")]
    public void Each_kind_has_its_header(MessageKind kind, uint correlationId, string header)
    {
        using var packed = _writer.Pack(PackingContracts.Position, s_position, kind, correlationId);

        Assert.Equal([.. Convert.FromHexString(header), .. s_positionPayload], packed.Span.ToArray());
    }

    [Fact]
    public void An_event_with_a_correlation_id_is_refused()
    {
        var exception = Assert.Throws<ArgumentOutOfRangeException>(() => _writer.Pack(PackingContracts.Position, s_position, MessageKind.Event, 5));

        Assert.Equal("correlationId", exception.ParamName);
        Assert.Contains("Event", exception.Message, StringComparison.Ordinal);
    }

    [Fact]
    public void A_raw_payload_goes_out_as_it_is_behind_the_header_it_came_with()
    {
        using var plain = _writer.PackRaw(new MessageHeader(3), [0xAA, 0xBB]);
        using var compressed = _writer.PackRaw(new MessageHeader(3).Compressed(1000), [0xAA, 0xBB]);
        using var empty = _writer.PackRaw(new MessageHeader(3, MessageKind.Reply, 1), []);

        Assert.Equal("03AABB", Convert.ToHexString(plain.Span));
        Assert.Equal("83E8030000AABB", Convert.ToHexString(compressed.Span));
        Assert.Equal("7F020301", Convert.ToHexString(empty.Span));
    }

    [Fact]
    public void Writing_appends_the_message_to_a_buffer_writer_without_a_length()
    {
        var destination = new ArrayBufferWriter<byte>();
        destination.Write("AB"u8);

        _writer.Write(destination, PackingContracts.Text, "CD");
        _writer.Write(destination, PackingContracts.Position, s_position);

        Assert.Equal([65, 66, 5, 67, 68, 3, .. s_positionPayload], destination.WrittenSpan.ToArray());
    }

    [Fact]
    public void A_declared_contract_is_used_by_every_call_that_names_none()
    {
        var contract = new MessageContract<Declared>(9, new BlittableSerializer<Declared>()).Declare();
        var destination = new ArrayBufferWriter<byte>();
        using var batch = new MessageBatch();

        using var packed = _writer.Pack(new Declared(0x55));
        _writer.Write(destination, new Declared(0x66));
        _writer.Append(batch, new Declared(0x77));

        Assert.Same(contract, MessageContract.GetDeclared<Declared>());
        Assert.Equal([9, 0x55], packed.Span.ToArray());
        Assert.Equal([9, 0x66], destination.WrittenSpan.ToArray());
        Assert.Equal([2, 9, 0x77], batch.Span.ToArray());
    }

    [Fact]
    public void An_undeclared_type_is_named_with_what_to_do_about_it()
    {
        var exception = Assert.Throws<InvalidOperationException>(() => _writer.Pack(new Undeclared(1)));

        Assert.Contains(typeof(Undeclared).FullName!, exception.Message, StringComparison.Ordinal);
        Assert.Contains("[Message]", exception.Message, StringComparison.Ordinal);
        Assert.Contains("Declare()", exception.Message, StringComparison.Ordinal);
    }

    [Fact]
    public void Null_contracts_destinations_and_batches_are_refused()
    {
        Assert.Equal("contract", Assert.Throws<ArgumentNullException>(() => _writer.Pack((MessageContract<Position>)null!, s_position)).ParamName);
        Assert.Equal("contract", Assert.Throws<ArgumentNullException>(() => _writer.Pack(null!, s_position, MessageKind.Event, 0)).ParamName);
        Assert.Equal("destination", Assert.Throws<ArgumentNullException>(() => _writer.Write(null!, PackingContracts.Position, s_position)).ParamName);
        Assert.Equal("batch", Assert.Throws<ArgumentNullException>(() => _writer.Append(null!, PackingContracts.Position, s_position)).ParamName);
        using var batch = new MessageBatch();
        Assert.Equal("contract", Assert.Throws<ArgumentNullException>(() => _writer.TryAppend(batch, null!, s_position)).ParamName);
    }

    [Fact]
    public void A_serializer_may_pack_messages_of_its_own()
    {
        var contract = new MessageContract<int>(20, new NestingSerializer(_writer));

        using var packed = _writer.Pack(contract, 3);

        Assert.Equal("before inner 0 inner 1 inner 2 after", Encoding.UTF8.GetString(packed.Span.Slice(1)));
    }

    [Fact]
    public void A_handler_may_pack_messages_of_its_own()
    {
        var dispatcher = new MessageDispatcher<PackedMessage>();
        dispatcher.Register(PackingContracts.Text, (in string text, ref PackedMessage answer) => answer = _writer.Pack(PackingContracts.Text, $"{text}, too"));
        var answer = default(PackedMessage);

        using (var packed = _writer.Pack(PackingContracts.Text, "me"))
            Assert.Equal(DispatchStatus.Handled, dispatcher.Dispatch(packed.Span, ref answer));

        Assert.Equal("me, too", Encoding.UTF8.GetString(answer.Span.Slice(1)));
        answer.Dispose();
    }

    private readonly record struct Declared(byte Value);

    private readonly record struct Undeclared(byte Value);
}
