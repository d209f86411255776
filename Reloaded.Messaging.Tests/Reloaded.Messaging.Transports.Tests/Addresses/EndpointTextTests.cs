using System.IO;
using Xunit;

namespace Reloaded.Messaging.Tests.Addresses;

public sealed class EndpointTextTests
{
    public static TheoryData<MessageEndpoint> BuiltIn =>
    [
        MessageEndpoint.InProcess("lobby"),
        MessageEndpoint.InProcess("//a b:1/c"),
        MessageEndpoint.Tcp(5000),
        MessageEndpoint.Tcp("example.org", 65535),
        MessageEndpoint.Tcp("::1", 0),
        MessageEndpoint.Tcp("fe80::1%eth0", 1),
        MessageEndpoint.Udp(5001),
        MessageEndpoint.Udp("::", 5001),
        MessageEndpoint.WebSocket(5002),
        MessageEndpoint.WebSocket("::1", 5002),
        MessageEndpoint.Unix("/tmp/with space/a:b.sock"),
        MessageEndpoint.Pipe("game"),
        MessageEndpoint.Local("my-mod"),
        MessageEndpoint.SharedMemory("my-mod"),
        MessageEndpoint.OfProcess(1234, "my-mod"),
    ];

    [Theory]
    [MemberData(nameof(BuiltIn), DisableDiscoveryEnumeration = true)]
    public void Text_of_endpoint_is_parsed_to_an_equal_endpoint(MessageEndpoint endpoint)
    {
        var parsed = MessageEndpoint.Parse(endpoint.ToString());

        Assert.Equal(endpoint.ToString(), parsed.ToString());
        Assert.Equal((endpoint.Address, endpoint.Port, endpoint.ProcessId), (parsed.Address, parsed.Port, parsed.ProcessId));
        Assert.Equal(endpoint.Transport.GetType(), parsed.Transport.GetType());
        Assert.True(MessageEndpoint.TryParse(endpoint.ToString(), out var tried));
        Assert.Equal(parsed, tried);
    }

    [Fact]
    public void Path_of_web_socket_is_kept()
    {
        var endpoint = MessageEndpoint.WebSocket("example.org", 80, new WebSocketEndpointOptions { Path = "/chat/1" });

        Assert.Equal("ws://example.org:80/chat/1", endpoint.ToString());
        Assert.Equal(endpoint, MessageEndpoint.Parse(endpoint.ToString()));
        Assert.NotEqual(MessageEndpoint.WebSocket("example.org", 80), endpoint);
    }

    [Fact]
    public void Web_sockets_for_other_pages_are_other_endpoints()
    {
        Assert.Equal(ForPages("https://a.example", "https://b.example"), ForPages("https://a.example", "https://b.example"));
        Assert.NotEqual(ForPages("https://a.example"), ForPages("https://b.example"));

        static MessageEndpoint ForPages(params string[] origins) => MessageEndpoint.WebSocket(80, new WebSocketEndpointOptions { AllowedOrigins = origins });
    }

    [Theory]
    [InlineData("local:my-mod")]
    [InlineData("LOCAL://my-mod")]
    public void Short_forms_name_the_same_endpoint(string text) => Assert.Equal(MessageEndpoint.Local("my-mod"), MessageEndpoint.Parse(text));

    [Theory]
    [InlineData("pipe:game")]
    [InlineData("shm:game")]
    [InlineData("process:7/game")]
    [InlineData("unix:/run/game.sock")]
    [InlineData("in-process:game")]
    [InlineData("tcp:localhost:1")]
    public void Slashes_after_scheme_are_optional(string text) =>
        Assert.Equal(MessageEndpoint.Parse(text.Replace(":", "://", StringComparison.Ordinal) is var full && text.StartsWith("tcp", StringComparison.Ordinal) ? "tcp://localhost:1" : full), MessageEndpoint.Parse(text));

    [Theory]
    [InlineData("tcp")]
    [InlineData("wss")]
    public void Tls_options_encrypt_the_endpoint(string scheme)
    {
        var endpoint = MessageEndpoint.Parse($"{scheme}://example.org:443", new TlsOptions());

        Assert.True(endpoint.Transport.IsEncrypted);
        Assert.StartsWith(scheme, endpoint.ToString(), StringComparison.Ordinal);
    }

    [Theory]
    [InlineData("", "no scheme")]
    [InlineData("game", "no scheme")]
    [InlineData("http://a:1", "'http'")]
    [InlineData("tcp://a", "port (0–65535)")]
    [InlineData("tcp://a:65536", "'65536'")]
    [InlineData("tcp://a:+1", "'+1'")]
    [InlineData("tcp://:1", "valid host")]
    [InlineData("tcp://::1:5000", "brackets")]
    [InlineData("tcp://[a]:5000", "brackets")]
    [InlineData("udp://a:1/b", "'udp://a:1/b'")]
    [InlineData("ws://a/b", "port (0–65535)")]
    [InlineData("pipe:a b", "' '")]
    [InlineData("local:", "'local:'")]
    [InlineData("shm:a/b", "'/'")]
    [InlineData("process:game", "process:1234/my-mod")]
    [InlineData("process:0/game", "process:1234/my-mod")]
    [InlineData("process:7/", "'process:7/'")]
    [InlineData("unix:", "'unix:'")]
    public void Error_names_the_text_and_the_wrong_part(string text, string part)
    {
        var error = Assert.Throws<FormatException>(() => MessageEndpoint.Parse(text));

        Assert.Contains($"'{text}'", error.Message, StringComparison.Ordinal);
        Assert.Contains(part, error.Message, StringComparison.Ordinal);
        Assert.False(MessageEndpoint.TryParse(text, out _));
    }

    [Fact]
    public void Too_long_path_and_unsuitable_tls_are_errors()
    {
        Assert.Contains("107", Assert.Throws<FormatException>(static () => MessageEndpoint.Parse("unix:/" + new string('a', 200))).Message, StringComparison.Ordinal);
        Assert.Contains("TLS options", Assert.Throws<FormatException>(static () => MessageEndpoint.Parse("udp://a:1", new TlsOptions())).Message, StringComparison.Ordinal);
        Assert.False(MessageEndpoint.TryParse(null, out _));
    }
}
