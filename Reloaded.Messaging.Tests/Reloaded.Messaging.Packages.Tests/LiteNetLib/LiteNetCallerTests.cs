using Reloaded.Messaging.Hosting;
using Reloaded.Messaging.Tests.Callers;
using Reloaded.Messaging.Tests.Support;
using Reloaded.Messaging.Transports.LiteNetLib;

namespace Reloaded.Messaging.Tests.LiteNet;

[Quiet]
public sealed class LiteNetCallerTests : CallerTests
{
    protected override MessageEndpoint Endpoint { get; } = new LiteNetTransport().At(0);

    protected override MessageEndpoint EndpointOfClient(MessageServer server) => new LiteNetTransport().At(server.Endpoint.Port);
}
