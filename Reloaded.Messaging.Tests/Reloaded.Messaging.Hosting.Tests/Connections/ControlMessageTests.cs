using System.Linq;
using Reloaded.Messaging.Hosting;
using Reloaded.Messaging.Tests.Support;
using Reloaded.Messaging.Wire;
using Xunit;

namespace Reloaded.Messaging.Tests.Connections;

/// <summary>Control messages of an open connection, at their limits and one byte beyond.</summary>
public sealed class ControlMessageTests : IAsyncLifetime
{
    private MessageServer _server = null!;
    private RawPeer _raw = null!;

    public async ValueTask InitializeAsync()
    {
        _server = await MessageHost.ListenAsync(MessageEndpoint.Tcp(0));
        _raw = await RawPeer.HandshakeAsync(_server.Endpoint);
        await _server.Connection().InTime();
    }

    public async ValueTask DisposeAsync()
    {
        _raw.Dispose();
        await _server.DisposeAsync();
    }

    [Theory]
    [InlineData(0, true)]
    [InlineData(8, true)]
    [InlineData(12, true)]
    [InlineData(64, true)]
    [InlineData(65, false)]
    public async Task Ping_is_answered_with_its_payload_or_is_malformed(int size, bool isAnswered)
    {
        var payload = Enumerable.Range(1, size).Select(static number => (byte)number).ToArray();

        await _raw.SendAsync(Control(ControlCode.Ping, payload));

        if (isAnswered)
            Assert.Equal(payload, await ReceivePongAsync());
        await AssertMalformedAsync(isAnswered ? 0 : 1);
    }

    [Theory]
    [InlineData(7, 1)]
    [InlineData(8, 0)]
    [InlineData(9, 1)]
    [InlineData(11, 1)]
    [InlineData(12, 0)]
    [InlineData(13, 1)]
    public async Task Pong_has_one_of_two_sizes_or_is_malformed(int size, int malformed)
    {
        await _raw.SendAsync(Control(ControlCode.Pong, new byte[size]));

        await AssertMalformedAsync(malformed);
    }

    [Theory]
    [InlineData("", 1)]
    [InlineData("8000", 1)]
    [InlineData("05", 0)]
    [InlineData("0506", 0)]
    public async Task Cancellation_begins_with_a_valid_id_or_is_malformed(string payload, int malformed)
    {
        await _raw.SendAsync(Control(ControlCode.Cancel, Convert.FromHexString(payload)));

        await AssertMalformedAsync(malformed);
    }

    [Fact]
    public async Task Compressed_control_message_is_malformed()
    {
        await _raw.SendAsync([4, 0xFF, (byte)MessageKind.Control, (byte)ControlCode.Ping, 5]);

        await AssertMalformedAsync(1);
    }

    [Fact]
    public async Task Sixteen_malformed_messages_are_tolerated_and_the_next_one_disconnects()
    {
        var gone = _server.Disconnection();
        for (var i = 0; i < 16; i++)
            await _raw.SendAsync(Control(ControlCode.Cancel, []));
        await AssertMalformedAsync(16);

        await _raw.SendAsync(Control(ControlCode.Cancel, []));

        Assert.Equal(DisconnectReason.Malformed, await gone.InTime());
        Assert.Equal(17, _server.GetStatistics().MalformedMessages);
    }

    private static byte[] Control(uint opcode, byte[] payload) => RawPeer.Frame(MessageKind.Control, opcode, 0, payload);

    /// <summary>Exchanges a ping, so that the server has handled all earlier messages.</summary>
    private async Task AssertMalformedAsync(int expected)
    {
        await _raw.SendAsync(Control(ControlCode.Ping, [0xAA]));
        Assert.Equal([0xAA], await ReceivePongAsync());
        Assert.Equal(expected, _server.GetStatistics().MalformedMessages);
        Assert.Single(_server.Peers);
    }

    private async Task<byte[]> ReceivePongAsync()
    {
        var (header, payload) = await _raw.ReceiveAsync();
        Assert.Equal((MessageKind.Control, ControlCode.Pong), (header.Kind, header.Type));
        return payload;
    }
}
