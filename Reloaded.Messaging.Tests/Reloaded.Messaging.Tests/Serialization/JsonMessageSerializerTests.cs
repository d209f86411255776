using System.Linq;
using System.Text;
using System.Text.Encodings.Web;
using System.Text.Json;
using Reloaded.Messaging.Tests.Packing;
using Xunit;

namespace Reloaded.Messaging.Tests.Serialization;

public sealed class JsonMessageSerializerTests : StrictSerializerContractTests<JsonMessage>
{
    public static readonly MessageContract<JsonMessage> Contract = new(6, new JsonMessageSerializer<JsonMessage>(JsonMessageContext.Default.JsonMessage));

    private readonly MessageWriter _writer = new();

    [Fact]
    public void An_object_of_a_hierarchy_that_does_not_say_which_class_it_is_gets_refused()
    {
        var serializer = new JsonMessageSerializer<JsonShape>(JsonMessageContext.Default.JsonShape);

        Assert.True(serializer.TryDeserialize("""{"kind":"circle","Radius":2}"""u8, out var shape));
        Assert.Equal(new JsonShape.Circle(2), shape);
        Assert.False(serializer.TryDeserialize("{}"u8, out _));
        Assert.False(serializer.TryDeserialize("""{"kind":"square"}"""u8, out _));
    }

#if NET9_0_OR_GREATER
    [Theory]
    [InlineData('\t', 1, "\n")]
    [InlineData(' ', 3, "\r\n")]
    public void Serialize_with_indentation_writes_the_text_of_the_context(char character, int size, string newLine)
    {
        var context = new JsonMessageContext(new JsonSerializerOptions { WriteIndented = true, IndentCharacter = character, IndentSize = size, NewLine = newLine });
        using var packed = _writer.Pack(new MessageContract<JsonMessage>(6, new JsonMessageSerializer<JsonMessage>(context.JsonMessage)), Samples[1]);

        Assert.Equal(JsonSerializer.SerializeToUtf8Bytes(Samples[1], context.JsonMessage), packed.Span[1..].ToArray());
    }
#endif

    protected override IMessageSerializer<JsonMessage> Serializer => Contract.Serializer;

    protected override JsonMessage[] Samples { get; } =
    [
        new(),
        new() { Text = "Grüße, \"世界\" 🎮\0", Number = -5, Bytes = [1, 2, 255], Map = new() { ["a"] = 1, ["ü"] = 2 }, Trap = "none" },
        new() { Text = new string('y', 5000) },
    ];

    protected override (string Reason, byte[] Payload)[] BadPayloads { get; } =
    [
        ("nothing", []),
        ("the literal null", "null"u8.ToArray()),
        ("not JSON", "hello"u8.ToArray()),
        ("half of an object", """{"Text":"a" """u8.ToArray()),
        ("an object and a byte", "{} x"u8.ToArray()),
        ("two objects", "{}{}"u8.ToArray()),
        ("an object and a zero", "{}\0"u8.ToArray()),
        ("a mark in front", [0xEF, 0xBB, 0xBF, .. "{}"u8]),
        ("an array", "[1]"u8.ToArray()),
        ("a string", "\"a\""u8.ToArray()),
        ("a member of the wrong type", """{"Number":"one"}"""u8.ToArray()),
        ("a number that does not fit", """{"Number":99999999999}"""u8.ToArray()),
        ("a number with a fraction", """{"Number":1.5}"""u8.ToArray()),
        ("bytes that are not base 64", """{"Bytes":"*"}"""u8.ToArray()),
        ("half of a surrogate pair", """{"Text":"\ud800"}"""u8.ToArray()),
        ("half of a surrogate pair in a key", """{"Map":{"\udc00":1}}"""u8.ToArray()),
        ("half of a surrogate pair in a converter", """{"Trap":"\ud800"}"""u8.ToArray()),
        ("bytes that are not UTF-8", [.. """{"Text":" """u8, 0xFF, .. "\"}"u8]),
        ("bytes that are not UTF-8 in a key", [.. """{"Map":{" """u8, 0xFF, .. "\":1}}"u8]),
        ("nested too deep", Encoding.ASCII.GetBytes($$"""{"Unknown":{{new string('[', 10_000)}}""")),
    ];

    [Fact]
    public void The_payload_is_utf8_json_as_its_context_says() =>
        Assert.Equal("""{"Text":"a","Number":3}""", Encoding.UTF8.GetString(Serialize(new JsonMessage { Text = "a", Number = 3 })));

    [Fact]
    public void A_null_for_a_nullable_number_is_refused_and_a_number_is_not()
    {
        var serializer = new JsonMessageSerializer<int?>(JsonMessageContext.Default.NullableInt32);

        Assert.False(serializer.TryDeserialize("null"u8, out _));
        Assert.True(serializer.TryDeserialize(" 5 "u8, out var value));
        Assert.Equal(5, value);
    }

    [Fact]
    public void The_contexts_encoder_and_indentation_are_used()
    {
        var options = new JsonSerializerOptions { Encoder = JavaScriptEncoder.UnsafeRelaxedJsonEscaping, WriteIndented = true };
        var serializer = new JsonMessageSerializer<JsonMessage>(new JsonMessageContext(options).JsonMessage);
        var buffer = new MessageBuffer(home: null);

        serializer.Serialize(new JsonMessage { Text = "世" }, buffer);

        var text = Encoding.UTF8.GetString(buffer.Written);
        Assert.Contains("世", text, StringComparison.Ordinal);
        Assert.Contains("\n  \"Text\"", text, StringComparison.Ordinal);
    }

    [Fact]
    public void A_message_behind_one_that_threw_halfway_is_intact()
    {
        for (var i = 0; i < 3; i++)
        {
            Assert.Throws<FormatException>(() => _writer.Pack(Contract, new JsonMessage { Text = "lost", Trap = "throw" }));

            using var packed = _writer.Pack(Contract, new JsonMessage { Text = "a" });
            using var other = _writer.Pack(Contract, new JsonMessage { Text = "b" });
            Assert.Equal("""{"Text":"a","Number":0}""", Encoding.UTF8.GetString(packed.Span.Slice(1)));
            Assert.Equal("""{"Text":"b","Number":0}""", Encoding.UTF8.GetString(other.Span.Slice(1)));
        }
    }

    [Fact]
    public void A_converter_may_pack_messages_of_the_same_contract()
    {
        using var packed = _writer.Pack(Contract, new JsonMessage { Text = "outer", Trap = "packpackx" });

        var outer = Deserialize(packed.Span.Slice(1).ToArray());
        var middle = Deserialize(Encoding.UTF8.GetBytes(outer.Trap!));
        var inner = Deserialize(Encoding.UTF8.GetBytes(middle.Trap!));
        Assert.Equal("outer inner inner x", $"{outer.Text} {middle.Text} {inner.Text} {inner.Trap}");
    }

    [Fact]
    public void A_configuration_of_a_hundred_kilobytes_comes_back()
    {
        var config = PackingContracts.BigConfig();
        using var packed = _writer.Pack(PackingContracts.Config, config);
        Assert.InRange(packed.Length, 100_000, 200_000);

        Assert.True(PackingContracts.Config.Serializer.TryDeserialize(packed.Span.Slice(1), out var read));

        Assert.Equal(config.ModId, read.ModId);
        Assert.Equal(config.ModDependencies!.AsEnumerable(), read.ModDependencies!);
    }

    [Fact]
    public void A_serializer_without_metadata_is_refused() =>
        Assert.Equal("typeInfo", Assert.Throws<ArgumentNullException>(() => new JsonMessageSerializer<JsonMessage>(null!)).ParamName);

    protected override void AssertSame(JsonMessage expected, JsonMessage actual) => Assert.Equivalent(expected, actual, strict: true);
}
