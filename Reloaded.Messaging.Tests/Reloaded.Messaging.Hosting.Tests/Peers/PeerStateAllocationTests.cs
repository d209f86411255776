using System.Linq;
using System.Runtime.CompilerServices;
using Reloaded.Messaging.Hosting;
using Reloaded.Messaging.Tests.Support;
using Xunit;

namespace Reloaded.Messaging.Tests.Peers;

/// <summary>The memory of the values of peers.</summary>
[Quiet]
public sealed class PeerStateAllocationTests
{
    [Fact]
    public async Task Access_to_a_value_allocates_nothing()
    {
        var numbers = Enumerable.Range(0, 3).Select(static _ => new PeerState<long>(static peer => peer.Id)).ToList();
        var texts = new PeerState<string?>(static _ => null);
        await using var hosts = await HostPair.ConnectAsync(MessageEndpoint.InProcess(nameof(Access_to_a_value_allocates_nothing)));
        var peer = hosts.Client.Server;

        Assert.Equal(0, Allocation.OfThousand(() =>
        {
            foreach (var state in numbers)
                state.Of(peer)++;
            texts.Of(peer) = "a text";
        }));
        Assert.True(numbers[0].Of(peer) > 1000);
    }

    [Fact]
    public async Task Value_is_collected_with_its_peer_and_not_before()
    {
        var state = new PeerState<object>(static _ => new object());
        await using var server = await MessageHost.ListenAsync(MessageEndpoint.InProcess(nameof(Value_is_collected_with_its_peer_and_not_before)));
        await using var stays = await MessageHost.ConnectAsync(server.Endpoint);
        var kept = NoteValue(state, stays.Server);

        var ended = await ConnectAndEndAsync(state, server);

        Assert.True(await UnloadedContext.IsCollectedAsync(ended));
        Assert.True(kept.IsAlive);
        Assert.Same(kept.Target, state.Of(stays.Server));
    }

    [MethodImpl(MethodImplOptions.NoInlining)]
    private static async Task<WeakReference> ConnectAndEndAsync(PeerState<object> state, MessageServer server)
    {
        var gone = server.Disconnection();
        WeakReference value;
        await using (var client = await MessageHost.ConnectAsync(server.Endpoint))
        {
            await Signal.UntilAsync(() => server.Peers.Count == 2);
            value = NoteValue(state, server.Peers.OrderBy(static peer => peer.Id).Last());
        }

        await gone.InTime();
        return value;
    }

    [MethodImpl(MethodImplOptions.NoInlining)]
    private static WeakReference NoteValue(PeerState<object> state, Peer peer) => new(state.Of(peer));
}
