using Reloaded.Messaging.Hosting;
using Reloaded.Messaging.Tests.Support;
using Xunit;

namespace Reloaded.Messaging.Tests.Connections;

/// <summary>The two sides compress the payloads of a contract by different formats, and accept contracts that differ. The name of a format alone does not make it readable.</summary>
public sealed class DifferentCompressorTests
{
    private const string SameFormat = "it is compressed, and both sides need compressors of the same format.";

    private static readonly MessageHostOptions s_accepting = new() { AcceptsOtherContracts = true };
    private static readonly string s_text = new('a', 1000);
    private static readonly MessageContract<string> s_reply = new(91, new Utf8TextSerializer());

    [Theory]
    [InlineData(false, false, "Malformed: String (type 90) cannot be read: " + SameFormat)]
    [InlineData(false, true, "Malformed: String (type 90) cannot be read: " + SameFormat)]
    [InlineData(true, false, "CorruptPayload: String (type 90) cannot be read: " + SameFormat)]
    [InlineData(true, true, "CorruptPayload: String (type 90) cannot be read: " + SameFormat)]
    public async Task Peer_that_sends_too_many_such_events_gets_the_type_and_the_status(bool isCompressed, bool isPumped, string expected)
    {
        await using var hosts = await HostPair.ConnectAsync(
            MessageEndpoint.Tcp(0),
            server => server.On(ContractOf(isCompressed ? new Compressor() : null), static (in string _, Peer _) => { }),
            clientOptions: s_accepting,
            serverOptions: new MessageHostOptions { IsPumped = isPumped, AcceptsOtherContracts = true });
        using var pump = Pump.Of(hosts.Server);
        var gone = hosts.Client.Disconnection();

        for (var i = 0; i <= HostLimits.Default.MaxMalformedMessages; i++)
            hosts.Client.Send(ContractOf(new Compressor()), s_text);

        Assert.Equal(DisconnectReason.Goodbye, await gone.InTime());
        Assert.Equal((DisconnectReason.Malformed, expected), (hosts.Client.Server.GoodbyeReason, hosts.Client.Server.GoodbyeText));
    }

    [Fact]
    public async Task Requester_gets_the_cause_of_an_unreadable_request()
    {
        await using var hosts = await HostPair.ConnectAsync(MessageEndpoint.Tcp(0), static server => server.OnRequest(ContractOf(null), s_reply, static (in string text, Peer _) => text), null, s_accepting);

        var fault = await Assert.ThrowsAsync<RequestFaultException>(() => hosts.Client.RequestAsync(ContractOf(new Compressor()), s_reply, s_text).AsTask().InTime());

        Assert.Equal((FaultCode.InvalidRequest, "The request String (type 90) cannot be read: " + SameFormat), (fault.Code, fault.Message));
    }

    [Fact]
    public async Task Requester_gets_the_cause_of_an_unreadable_reply()
    {
        await using var hosts = await HostPair.ConnectAsync(MessageEndpoint.Tcp(0), static server => server.OnRequest(s_reply, ContractOf(new Compressor()), static (in string _, Peer _) => s_text), null, s_accepting);

        var failed = await Assert.ThrowsAsync<RequestFailedException>(() => hosts.Client.RequestAsync(s_reply, ContractOf(null), "").AsTask().InTime());

        Assert.Equal(RequestStatus.InvalidReply, failed.Status);
        Assert.Contains(SameFormat, failed.Message, StringComparison.Ordinal);
    }

    private static MessageContract<string> ContractOf(IMessageCompressor? compressor) => new(90, new Utf8TextSerializer(), compressor is null ? null : new CompressionOptions(compressor));

    /// <summary>Reads nothing, as if the other side had another format.</summary>
    private sealed class Compressor : IMessageCompressor
    {
        public string Name => "unreadable";

        public int GetMaxCompressedSize(int size) => size;

        public bool TryCompress(ReadOnlySpan<byte> source, Span<byte> destination, out int written)
        {
            destination[0] = 0;
            written = 1;
            return true;
        }

        public bool TryDecompress(ReadOnlySpan<byte> source, Span<byte> destination) => false;
    }
}
