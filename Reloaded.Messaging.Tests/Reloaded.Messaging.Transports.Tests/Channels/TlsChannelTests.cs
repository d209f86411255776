using Reloaded.Messaging.Tests.Support;
using Xunit;

namespace Reloaded.Messaging.Tests.Channels;

public sealed class TlsChannelTests : ChannelContractTests, IDisposable
{
    private readonly Certificates _certificates = new();

    protected override ChannelFactory Factory => new(
        static endpoint => endpoint.ListenAsync(new TransportContext()),
        endpoint => MessageEndpoint.Tcp(endpoint.Address, endpoint.Port, _certificates.Pinning).ConnectAsync(new TransportContext()))
    {
        ConnectsOnceAccepted = true,
    };

    [Fact]
    public async Task Connection_that_is_lost_amid_the_handshake_is_not_a_failure_of_TLS()
    {
        await using var listener = await NewEndpoint().ListenAsync(new TransportContext());
        var accepting = listener.AcceptAsync(default).AsTask();
        var wire = new AlteringChannel(await MessageEndpoint.Tcp("127.0.0.1", listener.Address.Port).ConnectAsync(new TransportContext()));
        wire.Alter = bytes => wire.Sent.Count == 0 ? bytes : throw new TransportClosedException("The connection was reset.");

        var failure = await Assert.ThrowsAsync<TransportClosedException>(() => TlsClient.EncryptAsync(wire, listener.Address, _certificates.Pinning, TimeSpan.FromMinutes(1), default).AsTask().InTime());
        await using var accepted = await accepting;

        Assert.Equal(TransportCloseReason.ConnectionLost, failure.Reason);
    }

    public void Dispose() => _certificates.Dispose();

    protected override MessageEndpoint NewEndpoint() => MessageEndpoint.Tcp("127.0.0.1", 0, _certificates.Server);
}
