using Reloaded.Messaging.Hosting;
using Reloaded.Messaging.Tests.Support;
using Xunit;

namespace Reloaded.Messaging.Tests.Connections;

public sealed class RefusedConnectionTests
{
    [Fact]
    public async Task Server_reports_refused_connection_once_with_its_reason()
    {
        var refused = Signal.New<RefusedConnection>();
        await using var server = await MessageHost.ListenAsync(
            MessageEndpoint.Tcp(0),
            server => server.ConnectionRefused += connection => refused.SetResult(connection),
            new MessageHostOptions { Token = new byte[16] });

        await Assert.ThrowsAsync<HandshakeException>(() => MessageHost.ConnectAsync(server.Endpoint, null, new MessageHostOptions { Token = "another token 16"u8.ToArray() }));

        var connection = await refused.Task.InTime();
        Assert.Equal(DisconnectReason.WrongToken, connection.Reason);
        Assert.StartsWith("tcp://127.0.0.1:", connection.RemoteName, StringComparison.Ordinal);
        Assert.Equal(1, server.GetStatistics().RefusedConnections);
    }

    [Fact]
    public async Task Server_at_its_limit_reports_the_refusal_and_no_peer()
    {
        var refused = Signal.New<RefusedConnection>();
        await using var hosts = await HostPair.ConnectAsync(
            MessageEndpoint.Tcp(0),
            server => server.ConnectionRefused += connection => refused.SetResult(connection),
            serverOptions: new MessageHostOptions { Limits = new HostLimits { MaxPeers = 1 } });

        await Assert.ThrowsAsync<HandshakeException>(() => MessageHost.ConnectAsync(hosts.Server.Endpoint));

        Assert.Equal(DisconnectReason.TooManyPeers, (await refused.Task.InTime()).Reason);
        await hosts.Client.DisposeAsync();
        await Signal.UntilAsync(() => hosts.Server.Peers.Count == 0);
        Assert.Equal(1, hosts.Server.GetStatistics().RefusedConnections);
    }

    [Fact]
    public async Task Failure_of_handler_names_the_type_of_the_message()
    {
        var failed = Signal.New<HandlerFailure>();
        await using var hosts = await HostPair.ConnectAsync(MessageEndpoint.Tcp(0), server =>
        {
            server.On((in Ping _, Peer _) => throw new InvalidOperationException());
            server.HandlerFailed += failure => failed.TrySetResult(failure);
        });

        hosts.Client.Send(new Ping(1));

        Assert.Equal(nameof(Ping), (await failed.Task.InTime()).TypeName);
    }
}
