using System;
using Reloaded.Messaging.Hosting;
using Reloaded.Messaging.Tests.Support;

namespace Reloaded.Messaging.Tests.Channels;

public sealed class TlsChannelTests : ChannelContractTests, IDisposable
{
    private readonly Certificates _certificates = new();

    protected override ChannelWays Ways => ChannelWays.By(new MessageHostOptions { Tls = _certificates.Server }, new MessageHostOptions { Tls = _certificates.Pinning }) with { ConnectsOnceAccepted = true };

    public void Dispose() => _certificates.Dispose();

    protected override MessageEndpoint NewEndpoint() => MessageEndpoint.Tcp(0);
}
