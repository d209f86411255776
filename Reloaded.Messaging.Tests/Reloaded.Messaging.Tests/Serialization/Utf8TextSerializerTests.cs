using System.Text;
using Xunit;

namespace Reloaded.Messaging.Tests.Serialization;

public sealed class Utf8TextSerializerTests : StrictSerializerContractTests<string>
{
    protected override IMessageSerializer<string> Serializer { get; } = new Utf8TextSerializer();

    protected override string[] Samples { get; } = ["", "a", "Grüße, 世界 🎮", "\0\uFEFF\uFFFD", new string('x', 5000)];

    protected override (string Reason, byte[] Payload)[] BadPayloads { get; } =
    [
        ("a lone continuation", [0x80]),
        ("a sequence that ends too early", [0x61, 0xE4, 0xB8]),
        ("an overlong slash", [0xC0, 0xAF]),
        ("half of a surrogate pair", [0xED, 0xA0, 0x80]),
        ("above U+10FFFF", [0xF4, 0x90, 0x80, 0x80]),
        ("a byte that UTF-8 never has", [0x61, 0xFF]),
    ];

    [Fact]
    public void The_payload_is_utf8_without_a_mark() => Assert.Equal("C3BC"u8.ToArray(), Encoding.ASCII.GetBytes(Convert.ToHexString(Serialize("ü"))));

    [Fact]
    public void Half_of_a_surrogate_pair_is_not_sent() => Assert.Throws<EncoderFallbackException>(() => Serialize("a\uD800"));

    [Fact]
    public void Null_is_not_sent() => Assert.Throws<ArgumentNullException>(() => Serialize(null!));
}
