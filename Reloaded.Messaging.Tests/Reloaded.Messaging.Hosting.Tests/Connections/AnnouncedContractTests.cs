using System.Runtime.CompilerServices;
using Reloaded.Messaging.Hosting;
using Reloaded.Messaging.Tests.Support;
using Xunit;

namespace Reloaded.Messaging.Tests.Connections;

public sealed class AnnouncedContractTests
{
    private static readonly MessageContract<Ping> s_old = new(70, new BlittableSerializer<Ping>(), version: 1);
    private static readonly MessageContract<Ping> s_new = new(70, new BlittableSerializer<Ping>(), version: 2);

    [Fact]
    public async Task Client_with_an_older_version_of_an_announced_contract_is_refused()
    {
        var mismatches = new List<ContractMismatch>();
        await using var server = await MessageHost.ListenAsync(MessageEndpoint.Tcp(0), server => server.AnnounceContract(s_new));

        var refusal = await Assert.ThrowsAsync<HandshakeException>(() => MessageHost.ConnectAsync(server.Endpoint, client =>
        {
            client.ContractMismatched += (_, mismatch) => mismatches.Add(mismatch);
            client.On(s_old, (in Ping _, Peer _) => { });
        }).InTime());

        Assert.Equal(DisconnectReason.WrongContract, refusal.Reason);
        Assert.Equal("the version is 1 here and 2 there", Assert.Single(mismatches).Difference);
        await Signal.UntilAsync(() => server.GetCount(DisconnectReason.WrongContract) == 1);
    }

    [Fact]
    public async Task Client_with_an_equal_contract_or_without_a_handler_is_accepted()
    {
        await using var server = await MessageHost.ListenAsync(MessageEndpoint.Tcp(0), server => server.AnnounceContract(s_new));
        await using var equal = await MessageHost.ConnectAsync(
            server.Endpoint,
            client => client.On(new MessageContract<Ping>(70, new BlittableSerializer<Ping>(), version: 2), (in Ping _, Peer _) => { })).InTime();
        await using var without = await MessageHost.ConnectAsync(server.Endpoint).InTime();
        await Signal.UntilAsync(() => server.AllPeers.Count == 2);

        Assert.Equal(2, server.AllPeers.Broadcast(s_new, new Ping(1)));
    }

    [Fact]
    public async Task AnnounceContract_while_a_client_with_another_is_connected_ends_that_client()
    {
        await using var hosts = await HostPair.ConnectAsync(MessageEndpoint.Tcp(0), client: client => client.On(s_old, (in Ping _, Peer _) => { }));
        await hosts.Server.Connection().InTime();
        var gone = hosts.Client.Disconnection();

        hosts.Server.AnnounceContract(s_new);

        Assert.Equal(DisconnectReason.WrongContract, await gone.InTime());
    }

    [Fact]
    public async Task Contract_that_is_announced_and_collected_during_a_handshake_is_announced_to_the_new_peer()
    {
        await using var server = await MessageHost.ListenAsync(MessageEndpoint.Tcp(0));
        using var raw = await RawPeer.ConnectAsync(server.Endpoint);
        await raw.ReceiveAsync(); // the first hello of the server, with its contracts

        AnnounceAndForget(server);
        GC.Collect();
        Assert.Empty(server.Contracts.GetAll());
        await raw.SendAsync([.. RawPeer.Hello(), .. RawPeer.Accept]);

        byte[] announced;
        do
            (_, announced) = await raw.ReceiveAsync();
        while (AnnouncedContracts.TryRead(announced) is not { Count: > 0 });
        Assert.Equal(ContractDescriptor.WriteAll([s_old]), announced);
        Assert.Equal(SendStatus.ContractMismatch, (await server.Connection().InTime()).Send(s_new, new Ping(1)));
    }

    [Fact]
    public async Task AnnounceContract_with_the_id_of_another_type_throws()
    {
        await using var server = await MessageHost.ListenAsync(MessageEndpoint.Tcp(0), server => server.On((in Ping _, Peer _) => { }));

        Assert.Throws<InvalidOperationException>(() => server.AnnounceContract(new MessageContract<Pong>(1, new BlittableSerializer<Pong>())));
        server.AnnounceContract(s_new);
        server.AnnounceContract(s_new);
        Assert.Throws<InvalidOperationException>(() => server.On(new MessageContract<Pong>(70, new BlittableSerializer<Pong>()), (in Pong _, Peer _) => { }));
    }

    [MethodImpl(MethodImplOptions.NoInlining)]
    private static void AnnounceAndForget(MessageServer server) => server.AnnounceContract(new MessageContract<Ping>(70, new BlittableSerializer<Ping>(), version: 1));
}
