using LiteNetLib;
using Reloaded.Messaging.Hosting;
using Reloaded.Messaging.Tests.Support;
using Reloaded.Messaging.Transports.LiteNetLib;
using Xunit;

namespace Reloaded.Messaging.Tests.LiteNet;

/// <summary>Reliable traffic in one direction does not wait for LiteNetLib's updates, which acknowledge at most 64 packets each.</summary>
/// <remarks>LiteNetLib updates only every 2 s here. Without further updates, each of these tests would need more than the deadline of 30 s.</remarks>
public sealed class LiteNetUpdateTests
{
    private const int Packets = 3000;
    private const int Large = 1_200_000; // more than 18 times the 64 fragments that one update acknowledges

    private static LiteNetOptions Slow => new() { Configure = static manager => (manager.UpdateTime, manager.DisconnectTimeout) = (2000, 60_000) };

    /// <summary>A lost packet is sent again by the next update only, so that a handshake may need several of them.</summary>
    private static readonly HostLimits s_patient = new() { HandshakeTimeout = TimeSpan.FromMinutes(1) };

    [Theory]
    [InlineData(1024)] // the sender waits for room
    [InlineData(Packets + 1)] // LiteNetLib gets everything at once, and the host sends nothing more
    public async Task Events_arrive_without_waiting_for_an_update(int maxQueued)
    {
        var options = Slow;
        options = new LiteNetOptions { MaxQueuedPackets = maxQueued, Configure = options.Configure };
        using var left = new CountdownEvent(Packets);
        await using var pair = await LiteNetPair.OpenAsync(server => server.On((in Snapshot _, Peer _) => left.Signal()), options: options, hosts: new MessageHostOptions { Limits = s_patient });

        for (var i = 0; i < Packets; i++)
            Assert.Equal(SendStatus.Sent, await pair.Client.SendAsync(new Snapshot(new byte[900])));

        Assert.True(await Deadline.RunAside(() => left.Wait(Deadline.Length)));
    }

    [Theory]
    [InlineData(DeliveryMethod.ReliableOrdered)]
    [InlineData(DeliveryMethod.ReliableUnordered)]
    public async Task Divided_message_arrives_without_waiting_for_an_update(DeliveryMethod method)
    {
        var received = Signal.New<int>();
        var limits = new MessageHostOptions { MessageLimits = new MessageLimits { MaxMessageSize = 4_000_000 }, Limits = s_patient with { MaxPendingBytes = 8_000_000 } };
        await using var pair = await LiteNetPair.OpenAsync(
            server => server.On((in Snapshot snapshot, Peer _) => received.TrySetResult(snapshot.Bytes.Length)),
            options: Slow.Deliver<Snapshot>(new LiteNetDelivery(method)),
            hosts: limits);

        Assert.Equal(SendStatus.Sent, await pair.Client.SendAsync(new Snapshot(new byte[Large])));

        Assert.Equal(Large, await received.Task.InTime());
    }
}
