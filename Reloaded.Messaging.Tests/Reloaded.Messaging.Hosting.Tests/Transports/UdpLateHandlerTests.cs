using System.Collections.Concurrent;
using Reloaded.Messaging.Hosting;
using Reloaded.Messaging.Tests.Connections;
using Reloaded.Messaging.Tests.Support;
using Xunit;

namespace Reloaded.Messaging.Tests.Transports;

/// <summary>Late handlers over UDP, where an announcement and events take their own ways.</summary>
public sealed class UdpLateHandlerTests
{
    [Theory]
    [InlineData(LateHandlerTests.Type)]
    [InlineData(LateHandlerTests.Derived)]
    public Task Events_of_another_layout_on_their_way_are_not_read(uint type) => LateHandlerTests.SendAnotherLayoutAsync(MessageEndpoint.Udp(0), type);

    [Theory]
    [InlineData(LateHandlerTests.Type)]
    [InlineData(LateHandlerTests.Derived)]
    public Task Events_of_the_same_layout_are_handled_from_the_answer_on_and_counted_before(uint type) => LateHandlerTests.SendSameLayoutAsync(MessageEndpoint.Udp(0), type);

    [Theory]
    [InlineData(DeliveryMode.Unreliable, false)]
    [InlineData(DeliveryMode.Sequenced, false)]
    [InlineData(DeliveryMode.Unreliable, true)]
    public async Task Event_of_a_replaced_layout_that_arrives_late_is_not_read(DeliveryMode mode, bool sendsNewLayout)
    {
        const uint Type = LateHandlerTests.Type;
        await using var server = await MessageHost.ListenAsync(MessageEndpoint.Udp(0));
        await using var proxy = new UdpProxy();
        var held = new ConcurrentQueue<byte[]>();
        var holds = false;
        proxy.Treat = (datagram, isToServer) =>
        {
            if (!isToServer || !holds || datagram.AsSpan().IndexOf("replaced"u8) < 0)
                return [datagram];
            held.Enqueue(datagram);
            return [];
        };
        proxy.Start(server.Endpoint);
        await using var client = await MessageHost.ConnectAsync(proxy.Endpoint).InTime();
        var peer = await server.Connection().InTime();
        var ended = server.Disconnection();
        var (old, late) = (new MessageContract<int>(Type, new LateHandlerTests.Tagged("replaced")), new LateHandlerTests.Tagged("late"));
        client.Deliver(old, mode);

        Volatile.Write(ref holds, true);
        Assert.Equal(SendStatus.Sent, client.Server.Send(old, 1));
        await Signal.UntilAsync(() => !held.IsEmpty);
        var current = new MessageContract<int>(Type, new LateHandlerTests.Tagged("late"));
        client.AnnounceContract(current);
        if (sendsNewLayout)
            Assert.Equal(SendStatus.Sent, client.Server.Send(current, 2));
        server.On(new MessageContract<int>(Type, late), (in int _, Peer _) => { });
        await Signal.UntilAsync(() => ended.IsCompleted || peer.Connection.KnownAnnouncement == peer.Connection.LastAnnouncement);
        Volatile.Write(ref holds, false);
        foreach (var datagram in held)
            await proxy.SendToServerAsync(datagram);

        Assert.Equal(DisconnectReason.Goodbye, await ended.InTime());
        Assert.Equal(DisconnectReason.WrongContract, peer.GoodbyeReason);
        Assert.Equal(0, late.WrongReads);
    }

    [Fact]
    public async Task Event_of_a_layout_that_is_replaced_by_an_equal_one_is_read()
    {
        const uint Type = LateHandlerTests.Type;
        await using var server = await MessageHost.ListenAsync(MessageEndpoint.Udp(0));
        await using var client = await MessageHost.ConnectAsync(server.Endpoint).InTime();
        await server.Connection().InTime();
        var handled = Signal.New<int>();
        Assert.Equal(SendStatus.Sent, client.Server.Send(Make(), 1));
        client.AnnounceContract(Make());
        Assert.Equal(SendStatus.Sent, client.Server.Send(Make(), 2));

        server.On(Make(), (in int number, Peer _) => handled.TrySetResult(number));

        while (!handled.Task.IsCompleted)
        {
            Assert.Equal(SendStatus.Sent, client.Server.Send(Make(), 3));
            await Task.Delay(5);
        }

        Assert.True(client.Server.IsConnected);

        static MessageContract<int> Make() => new(Type, new LateHandlerTests.Tagged("equal"));
    }
}
