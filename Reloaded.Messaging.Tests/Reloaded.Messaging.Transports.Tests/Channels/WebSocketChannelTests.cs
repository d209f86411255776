using Reloaded.Messaging.Tests.Support;

namespace Reloaded.Messaging.Tests.Channels;

public sealed class WebSocketChannelTests : ChannelContractTests
{
    private static readonly WebSocketEndpointOptions s_options = new() { RequireToken = false };

    protected override ChannelFactory Factory => ChannelFactory.Default with { ConnectsOnceAccepted = true };

    protected override MessageEndpoint NewEndpoint() => MessageEndpoint.WebSocket(0, s_options);
}
