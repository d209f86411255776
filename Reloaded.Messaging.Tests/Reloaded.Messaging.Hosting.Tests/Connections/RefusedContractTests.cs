using Reloaded.Messaging.Hosting;
using Reloaded.Messaging.Tests.Support;
using Xunit;

namespace Reloaded.Messaging.Tests.Connections;

/// <summary>A peer whose contract differs costs a broadcast no more than any other peer.</summary>
[Quiet]
public sealed class RefusedContractTests
{
    private static readonly MessageContract<Ping> s_low = new(60, new BlittableSerializer<Ping>());
    private static readonly MessageContract<Ping> s_high = new(6000, new BlittableSerializer<Ping>());

    [Fact]
    public async Task Broadcast_past_a_peer_with_other_contracts_allocates_nothing()
    {
        var (server, raw) = await ConnectAsync(Told(2000, 60, 6000));
        using var connection = raw;
        await using var host = server;

        Assert.Equal(0, Allocation.OfThousand(() => server.AllPeers.Broadcast(s_low, new Ping(1))));
        Assert.Equal(0, Allocation.OfThousand(() => server.AllPeers.Broadcast(s_high, new Ping(1))));
        Assert.True(server.GetCount(SendStatus.ContractMismatch) > 1000);
    }

    [Fact]
    public async Task Refused_contract_is_compared_again_after_the_peer_declares_it_again()
    {
        var (server, raw) = await ConnectAsync(Told(3, 60));
        using var connection = raw;
        await using var host = server;
        Assert.Equal(0, server.AllPeers.Broadcast(s_low, new Ping(1)));

        await raw.SendAsync(RawPeer.Announcement(s_low));
        await Signal.UntilAsync(() => server.AllPeers.Broadcast(s_low, new Ping(1)) == 1);
    }

    [Fact]
    public async Task Refusal_of_one_contract_does_not_refuse_another_with_the_same_id()
    {
        var (server, raw) = await ConnectAsync(Told(3, 60));
        using var connection = raw;
        await using var host = server;
        var equal = Named(60, "x");

        Assert.Equal(0, server.AllPeers.Broadcast(s_low, new Ping(1)));
        Assert.Equal(1, server.AllPeers.Broadcast(equal, new Ping(1)));
    }

    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public async Task Hello_that_declares_an_id_twice_is_refused(bool isLater)
    {
        await using var server = await MessageHost.ListenAsync(MessageEndpoint.Tcp(0));
        MessageContract[] twice = [Named(5, "x"), Named(5, "y")];
        if (isLater)
        {
            using var raw = await RawPeer.HandshakeAsync(server.Endpoint);
            await raw.SendAsync(RawPeer.Announcement(twice));
            await Signal.UntilAsync(() => server.GetCount(DisconnectReason.Malformed) == 1);
            return;
        }

        using var stranger = await RawPeer.ConnectAsync(server.Endpoint);
        await stranger.SendAsync(RawPeer.Hello(null, twice));
        await Signal.UntilAsync(() => server.GetCount(DisconnectReason.NotAPeer) == 1);
    }

    [Fact]
    public async Task Hello_that_declares_too_many_contracts_is_refused()
    {
        await using var server = await MessageHost.ListenAsync(MessageEndpoint.Tcp(0));
        using var most = await RawPeer.ConnectAsync(server.Endpoint);
        await most.SendAsync([.. RawPeer.Hello(null, Told(4096)), .. RawPeer.Accept]);
        await server.Connection().InTime();

        using var stranger = await RawPeer.ConnectAsync(server.Endpoint);
        await stranger.SendAsync(RawPeer.Hello(null, Told(4097)));

        await Signal.UntilAsync(() => server.GetCount(DisconnectReason.NotAPeer) == 1);
    }

    private static async Task<(MessageServer Server, RawPeer Raw)> ConnectAsync(MessageContract[] told)
    {
        var server = await MessageHost.ListenAsync(MessageEndpoint.Tcp(0));
        var raw = await RawPeer.ConnectAsync(server.Endpoint);
        await raw.SendAsync([.. RawPeer.Hello(null, told), .. RawPeer.Accept]);
        await server.Connection().InTime();
        return (server, raw);
    }

    /// <summary>Contracts with a serializer that the server does not use, among them those of some ids.</summary>
    private static MessageContract[] Told(int count, params uint[] ids)
    {
        var contracts = new MessageContract[count];
        for (var i = 0; i < count; i++)
            contracts[i] = Named(i < ids.Length ? ids[i] : 10_000 + (uint)(i - ids.Length), "x");
        return contracts;
    }

    private static MessageContract<Ping> Named(uint id, string serializer) => new(id, new RawNamed(serializer));

    private sealed class RawNamed(string name) : IMessageSerializer<Ping>
    {
        public string Name => name;

        public void Serialize(in Ping value, MessageBuffer buffer) => buffer.WriteFixed(value.Number);

        public bool TryDeserialize(ReadOnlySpan<byte> payload, out Ping value)
        {
            value = default;
            return true;
        }
    }
}
