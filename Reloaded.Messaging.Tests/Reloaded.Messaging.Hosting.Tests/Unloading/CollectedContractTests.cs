using System.Runtime.CompilerServices;
using Reloaded.Messaging.Hosting;
using Reloaded.Messaging.Tests.Support;
using Xunit;

namespace Reloaded.Messaging.Tests.Unloading;

/// <summary>Contracts that a server announced and that nobody keeps, as those of an unloaded mod.</summary>
public sealed class CollectedContractTests
{
    private static readonly MessageContract<Ping> s_new = new(70, new BlittableSerializer<Ping>(), version: 2);

    [Fact]
    public async Task Collected_contract_is_remembered_until_no_peer_was_told()
    {
        await using var server = await MessageHost.ListenAsync(MessageEndpoint.InProcess($"collected-{Guid.NewGuid():N}"));
        AnnounceAndForget(server, 70, 1);
        var told = await MessageHost.ConnectAsync(server.Endpoint).InTime();
        await CollectAsync(server);
        await using var later = await MessageHost.ConnectAsync(server.Endpoint).InTime();

        await CollectAnotherAsync(71);
        Assert.True(IsRemembered());
        await told.DisposeAsync();
        await Signal.UntilAsync(() => server.Registry.GetAll().Length == 1);
        await CollectAnotherAsync(72);

        Assert.False(IsRemembered());

        Task CollectAnotherAsync(uint id)
        {
            AnnounceAndForget(server, id, 1);
            return CollectAsync(server);
        }

        bool IsRemembered() => server.Contracts.HasOther(s_new, LayoutLines.Of([s_new]), firstAnnouncement: 0);
    }

    [Fact]
    public async Task Collected_contracts_make_room_up_to_the_place_for_a_reply()
    {
        await using var server = await MessageHost.ListenAsync(MessageEndpoint.InProcess($"contracts-{Guid.NewGuid():N}"));
        AnnounceAndForget(server, 100, ContractDescriptor.MaxCount - 1);
        await CollectAsync(server);

        var type = 10_000u;
        server.On(Of<Ping>(type), (in Ping _, Peer _) => { });
        while (server.Contracts.GetAll().Length < ContractDescriptor.MaxCount - 1)
            server.On(Of<Ping>(++type), (in Ping _, Peer _) => { });

        Assert.Throws<InvalidOperationException>(() => server.On(Of<Ping>(++type), (in Ping _, Peer _) => { }));
    }

    [Fact]
    public async Task Contract_that_replaces_a_collected_one_during_a_handshake_is_the_last_of_its_id()
    {
        await using var server = await MessageHost.ListenAsync(MessageEndpoint.Tcp(0));
        using var raw = await RawPeer.ConnectAsync(server.Endpoint);
        await raw.ReceiveAsync(); // the first hello of the server, with its contracts

        AnnounceAndForget(server, 70, 1);
        await CollectAsync(server);
        server.AnnounceContract(s_new);
        await raw.SendAsync([.. RawPeer.Hello(), .. RawPeer.Accept]);

        var announced = new List<byte[]>();
        while (true)
        {
            var (header, payload) = await raw.ReceiveAnyAsync();
            if (header.Type == ControlCode.Ping)
                break; // follows the announcements
            if (AnnouncedContracts.TryRead(payload) is { Count: > 0 })
                announced.Add(payload);
        }

        Assert.Equal(ContractDescriptor.WriteAll([s_new]), announced[^1]);
    }

    // A thread that has announced a contract may still be running.
    private static Task CollectAsync(MessageServer server) => Signal.UntilAsync(() =>
    {
        GC.Collect();
        return server.Contracts.GetAll().Length == 0;
    });

    [MethodImpl(MethodImplOptions.NoInlining)]
    private static void AnnounceAndForget(MessageServer server, uint first, int count)
    {
        var contracts = new List<MessageContract>(); // none is collected before the last one is announced
        for (var type = first; contracts.Count < count; type++)
        {
            contracts.Add(Of<Ping>(type));
            server.AnnounceContract(contracts[^1]);
        }

        GC.KeepAlive(contracts);
    }

    private static MessageContract<T> Of<T>(uint type)
        where T : unmanaged => new(type, new BlittableSerializer<T>());
}
