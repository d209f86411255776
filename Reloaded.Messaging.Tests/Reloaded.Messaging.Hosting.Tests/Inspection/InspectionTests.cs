using System.Linq;
using Reloaded.Messaging.Hosting;
using Reloaded.Messaging.Tests.Support;
using Reloaded.Messaging.Wire;
using Xunit;

namespace Reloaded.Messaging.Tests.Inspection;

public sealed class InspectionTests
{
    [Fact]
    public async Task Host_that_does_not_allow_inspection_replies_with_fault()
    {
        await using var hosts = await HostPair.ConnectAsync(Next());

        var result = await hosts.Client.Server.InspectAsync();

        Assert.Equal((RequestStatus.Faulted, FaultCode.NoHandler), (result.Status, result.Fault!.Code));
    }

    [Fact]
    public async Task Messages_are_counted_by_peer_and_type_from_first_inspection_on()
    {
        await using var hosts = await HostPair.ConnectAsync(Next(), server =>
        {
            server.AllowInspection();
            server.OnRequest((Ping ping) => new Pong(ping.Number));
        });
        await hosts.Client.RequestAsync<Ping, Pong>(new Ping(1));
        await using var watcher = await MessageHost.ConnectAsync(hosts.Server.Endpoint);

        var first = await InspectAsync(watcher);
        for (var i = 0; i < 3; i++)
            await hosts.Client.RequestAsync<Ping, Pong>(new Ping(i));
        var second = await InspectAsync(watcher);

        Assert.Equal((Environment.ProcessId, 2), (first.ProcessId, first.PeerCount));
        Assert.DoesNotContain(first.Types, type => type.Type is 1 or 2);
        var (ping, pong) = (second.Types.Single(type => type.Type == 1), second.Types.Single(type => type.Type == 2));
        Assert.Equal((typeof(Ping).FullName, 3L, 0L), (ping.Name, ping.Received, ping.Sent));
        Assert.Equal((typeof(Pong).FullName, 0L, 3L), (pong.Name, pong.Received, pong.Sent));
        Assert.True(pong.SentBytes > 3 * sizeof(int));
        var peer = second.Peers[0];
        Assert.Equal((3L, 3L, ping.ReceivedBytes, pong.SentBytes), (peer.Received, peer.Sent, peer.ReceivedBytes, peer.SentBytes));
        Assert.True(second.CountedFor > first.CountedFor);
        Assert.Equal([false, true], second.Peers.Select(static one => one.IsInspector));
    }

    [Fact]
    public async Task Pings_are_no_traffic()
    {
        await using var hosts = await HostPair.ConnectAsync(Next(), static server => server.AllowInspection(), options: new MessageHostOptions { PingInterval = TimeSpan.FromMilliseconds(1) });
        await using var watcher = await MessageHost.ConnectAsync(hosts.Server.Endpoint);
        await InspectAsync(watcher);
        var controls = 0;
        using var tap = hosts.Server.Tap((in TappedMessage message) => controls += message.Header.Kind == MessageKind.Control ? 1 : 0);
        await Signal.UntilAsync(() => Volatile.Read(ref controls) > 5);

        var player = (await InspectAsync(watcher)).Peers[0];

        Assert.Equal((0L, 0L), (player.Received, player.Sent));
    }

    [Fact]
    public async Task Name_of_a_peer_is_cut_to_its_first_200_characters()
    {
        var name = "inspected-" + string.Concat(Enumerable.Range(0, 100).Select(static i => $"{i:D3}"));
        await using var hosts = await HostPair.ConnectAsync(MessageEndpoint.InProcess(name), server => server.AllowInspection());

        var inspected = await InspectAsync(hosts.Client);

        var peer = Assert.Single(hosts.Server.Peers);
        Assert.InRange(peer.RemoteName.Length, 201, int.MaxValue);
        Assert.Equal(peer.RemoteName[..200], Assert.Single(inspected.Peers).Name);
    }

    [Fact]
    public async Task Type_0_with_a_contract_is_listed_by_its_name()
    {
        var contract = new MessageContract<Ping>(0, new BlittableSerializer<Ping>());
        await using var hosts = await HostPair.ConnectAsync(Next(), server =>
        {
            server.AllowInspection();
            server.On(contract, (in Ping _, Peer _) => { });
        });
        await InspectAsync(hosts.Client);

        Assert.Equal(SendStatus.Sent, hosts.Client.Server.Send(contract, new Ping(1)));

        Assert.Equal((typeof(Ping).FullName, 1L), (await InspectAsync(hosts.Client)).Types.Where(type => type.Type is 0 or uint.MaxValue).Select(type => (type.Name, type.Received)).Single());
    }

    [Fact]
    public async Task Inspections_in_quick_succession_receive_the_last_one()
    {
        await using var hosts = await HostPair.ConnectAsync(Next(), server => server.AllowInspection());

        var inspections = await Task.WhenAll(Enumerable.Range(0, 500).Select(_ => InspectAsync(hosts.Client))).InTime();

        Assert.True(inspections.Select(inspection => inspection.Uptime).Distinct().Count() < inspections.Length);
    }

    [Fact]
    public async Task Counting_ends_when_last_inspecting_peer_disconnects()
    {
        await using var hosts = await HostPair.ConnectAsync(Next(), server => server.AllowInspection());
        Assert.False(hosts.Server.Taps.IsActive);
        await InspectAsync(hosts.Client);
        Assert.True(hosts.Server.Taps.IsActive);
        var ended = hosts.Server.Disconnection();

        await hosts.Client.DisposeAsync();

        await ended.InTime();
        Assert.False(hosts.Server.Taps.IsActive);
    }

    [Fact]
    public async Task Disposed_registration_refuses_inspections_and_ends_counting()
    {
        HandlerRegistration? allowed = null;
        await using var hosts = await HostPair.ConnectAsync(Next(), server => allowed = server.AllowInspection());
        await InspectAsync(hosts.Client);

        allowed!.Dispose();

        Assert.Equal(RequestStatus.Faulted, (await hosts.Client.Server.InspectAsync()).Status);
        Assert.False(hosts.Server.Taps.IsActive);
    }

    [Fact]
    public async Task Many_types_do_not_exceed_the_limit_and_received_types_without_a_contract_count_as_one()
    {
        await using var hosts = await HostPair.ConnectAsync(Next(), server => server.AllowInspection());
        var peer = await hosts.Server.Connection().InTime();
        await InspectAsync(hosts.Client);

        for (var type = 10_000u; type < 13_000; type++)
        {
            using var packed = new MessageWriter().PackRaw(new MessageHeader(type), []);
            hosts.Client.Server.Send(packed);
            using var other = new MessageWriter().PackRaw(new MessageHeader(type + 10_000), []);
            peer.Send(other);
        }

        var inspection = await InspectAsync(hosts.Client);
        Assert.Equal(HostInspection.MaxTypes, inspection.Types.Count);
        Assert.Equal(3000, inspection.Types.Single(type => type.Type == uint.MaxValue).Received);
        Assert.DoesNotContain(inspection.Types, type => type.Type is >= 10_000 and < 13_000);
        Assert.Equal(3000, inspection.Counters[nameof(DispatchStatus.NoHandler)]);
    }

    [Fact]
    public async Task First_1024_types_are_counted_and_no_further_ones()
    {
        const int Rare = 1020;
        await using var hosts = await HostPair.ConnectAsync(Next(), server => server.AllowInspection());
        var peer = await hosts.Server.Connection().InTime();
        await InspectAsync(hosts.Client);
        var known = (await InspectAsync(hosts.Client)).Types.Count; // the types of inspections
        for (var type = 10_000u; type < 10_000 + Rare; type++)
            Send(type);

        for (var type = 20_000u; type < 20_010; type++)
        {
            for (var i = 0; i < 10; i++)
                Send(type);
        }

        var counted = (await InspectAsync(hosts.Client)).Types.Where(static type => type.Type is >= 20_000 and < 20_010).ToList();
        Assert.Equal(1024 - Rare - known, counted.Count);
        Assert.All(counted, static type => Assert.Equal(10, type.Sent));

        void Send(uint type)
        {
            using var packed = new MessageWriter().PackRaw(new MessageHeader(type), []);
            peer.Send(packed);
        }
    }

    private static MessageEndpoint Next() => MessageEndpoint.InProcess($"inspection-{Guid.NewGuid():N}");

    private static async Task<HostInspection> InspectAsync(MessageClient watcher) => (await watcher.Server.InspectAsync()).GetReply();
}
