using System;
using Reloaded.Messaging.Tests.Support;

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

    public void Dispose() => _certificates.Dispose();

    protected override MessageEndpoint NewEndpoint() => MessageEndpoint.Tcp("127.0.0.1", 0, _certificates.Server);
}
