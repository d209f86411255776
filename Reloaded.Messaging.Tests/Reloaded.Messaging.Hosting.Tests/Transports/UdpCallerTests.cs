using Reloaded.Messaging.Hosting;
using Reloaded.Messaging.Tests.Callers;
using Reloaded.Messaging.Tests.Support;

namespace Reloaded.Messaging.Tests.Transports;

[Quiet]
public sealed class UdpCallerTests : CallerTests
{
    protected override MessageEndpoint Endpoint { get; } = MessageEndpoint.Udp(0);
}

[Quiet]
public sealed class PumpedUdpCallerTests : CallerTests
{
    protected override MessageEndpoint Endpoint { get; } = MessageEndpoint.Udp(0);

    protected override MessageHostOptions ServerOptions { get; } = new() { IsPumped = true };
}

[Quiet]
public sealed class ReconnectingUdpCallerTests : CallerTests
{
    protected override MessageEndpoint Endpoint { get; } = MessageEndpoint.Udp(0);

    protected override MessageHostOptions ClientOptions => field ??= Reconnecting(ServerOptions);

    protected override MessageEndpoint EndpointOfClient(MessageServer server) => MessageEndpoint.InProcess("no server of this name");
}

[Quiet]
public sealed class SecretUdpCallerTests : CallerTests
{
    protected override MessageEndpoint Endpoint { get; } = MessageEndpoint.Udp(0);

    protected override MessageHostOptions ServerOptions { get; } = new() { Protection = ProtectionOptions.WithSecret(new byte[32]) };
}

[Quiet]
public sealed class TokenUdpCallerTests : CallerTests
{
    protected override MessageEndpoint Endpoint { get; } = MessageEndpoint.Udp(0);

    protected override MessageHostOptions ServerOptions { get; } = new() { Token = new byte[32], Protection = ExchangedKeys.WithToken() };
}
