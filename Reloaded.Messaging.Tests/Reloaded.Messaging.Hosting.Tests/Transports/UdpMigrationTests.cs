using System.Collections.Concurrent;
using System.Linq;
using Reloaded.Messaging.Hosting;
using Reloaded.Messaging.Tests.Support;
using Xunit;

namespace Reloaded.Messaging.Tests.Transports;

/// <summary>A client whose address changes, because a router gives it another port, or because it is in another network.</summary>
public sealed class UdpMigrationTests
{
    private static readonly MessageHostOptions s_protected = new() { Protection = ProtectionOptions.WithSecret(new byte[32]) };

    [Fact]
    public async Task Protected_client_continues_after_its_address_has_changed()
    {
        var (received, echoed) = (new ConcurrentQueue<int>(), new ConcurrentQueue<int>());
        await using var server = await MessageHost.ListenAsync(
            MessageEndpoint.Udp(0),
            server =>
            {
                server.Deliver<Ping>(DeliveryMode.ReliableOrdered);
                server.On((in Ping ping, Peer from) =>
                {
                    received.Enqueue(ping.Number);
                    from.Send(ping);
                });
            },
            s_protected);
        await using var proxy = new UdpProxy();
        proxy.Start(server.Endpoint);
        await using var client = await MessageHost.ConnectAsync(
            proxy.Endpoint,
            client =>
            {
                client.Deliver<Ping>(DeliveryMode.ReliableOrdered);
                client.On((in Ping ping, Peer _) => echoed.Enqueue(ping.Number));
            },
            s_protected).InTime();
        var peer = await server.Connection().InTime();

        for (var i = 0; i < 300; i++)
        {
            if (i % 100 == 50)
                proxy.Rebind();
            Assert.Equal(SendStatus.Sent, await client.SendAsync(new Ping(i)));
            if (i % 10 == 0)
                await Signal.UntilAsync(() => echoed.Count > i);
        }

        await Signal.UntilAsync(() => echoed.Count == 300);
        Assert.Equal(Enumerable.Range(0, 300), received);
        Assert.Equal(Enumerable.Range(0, 300), echoed);
        Assert.Same(peer, Assert.Single(server.Peers));
        Assert.Equal(0, server.GetCount(DatagramDropReason.WrongAddress));
    }

    [Theory]
    [InlineData(DatagramFormat.Connect)]
    [InlineData(DatagramFormat.Sealed)]
    public async Task Handshake_continues_after_the_port_has_changed(byte lost)
    {
        var (laterHellos, isChanged) = (0, false);
        await using var server = await MessageHost.ListenAsync(MessageEndpoint.Udp(0), server => server.OnRequest((Ping ping) => new Pong(ping.Number)), s_protected);
        await using var proxy = new UdpProxy();
        proxy.Treat = (datagram, isUp) =>
        {
            laterHellos += isUp && isChanged && datagram[0] == DatagramFormat.Hello ? 1 : 0; // a slow answer repeats the first hello
            if (!isUp || isChanged || datagram[0] != lost)
                return [datagram];
            isChanged = true;
            proxy.Rebind();
            return [];
        };
        proxy.Start(server.Endpoint);

        await using var client = await MessageHost.ConnectAsync(proxy.Endpoint, options: s_protected).InTime();

        Assert.Equal(new Pong(1), await client.RequestAsync<Ping, Pong>(new Ping(1)).AsTask().InTime());
        Assert.True(isChanged);
        Assert.Equal(0, laterHellos);
        Assert.Equal(0, server.GetCount(DatagramDropReason.WrongAddress));
    }

    [Fact]
    public async Task Client_without_protection_cannot_change_its_address()
    {
        await using var server = await MessageHost.ListenAsync(MessageEndpoint.Udp(0));
        await using var proxy = new UdpProxy();
        proxy.Start(server.Endpoint);
        await using var client = await MessageHost.ConnectAsync(proxy.Endpoint).InTime();
        proxy.Rebind();

        await client.SendAsync(new Ping(1));

        await Signal.UntilAsync(() => server.GetCount(DatagramDropReason.WrongAddress) > 0);
    }

    [Fact]
    public async Task Sender_at_another_address_that_does_not_answer_the_challenge_receives_nothing_else()
    {
        await using var server = await MessageHost.ListenAsync(MessageEndpoint.Udp(0), server => server.OnRequest((Ping ping) => new Pong(ping.Number)), s_protected);
        await using var proxy = new UdpProxy();
        proxy.Start(server.Endpoint);
        await using var client = await MessageHost.ConnectAsync(proxy.Endpoint, options: s_protected).InTime();
        await client.RequestAsync<Ping, Pong>(new Ping(1)).AsTask().InTime();
        using var thief = new UnauthenticatedClient(server.Endpoint);
        var stolen = new ConcurrentQueue<byte[]>();
        proxy.Treat = (datagram, isUp) =>
        {
            if (!isUp)
                return [datagram];
            stolen.Enqueue(datagram);
            return []; // the server receives the first one from the thief
        };

        var request = client.RequestAsync<Ping, Pong>(new Ping(2)).AsTask();
        await Signal.UntilAsync(() => !stolen.IsEmpty);
        Assert.True(stolen.TryPeek(out var fresh));
        await thief.SendAsync(fresh);
        var challenge = await thief.ReceiveAsync();
        Assert.Equal(UdpChannel.MaxChallengeSize, challenge.Length);
        Assert.True(challenge.Length <= 3 * fresh.Length);
        proxy.Treat = static (datagram, _) => [datagram];
        await thief.SendAsync(challenge); // all that the thief can make of it

        Assert.Equal(new Pong(2), await request.InTime());
        Assert.Equal(new Pong(3), await client.RequestAsync<Ping, Pong>(new Ping(3)).AsTask().InTime());
        Assert.Equal(0, thief.Available);
    }
}
