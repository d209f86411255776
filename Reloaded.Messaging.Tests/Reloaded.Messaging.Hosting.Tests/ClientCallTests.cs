using Reloaded.Messaging.Hosting;
using Reloaded.Messaging.Tests.Support;
using Xunit;

namespace Reloaded.Messaging.Tests;

/// <summary>A client sends to its server in every form in which a peer sends.</summary>
public sealed class ClientCallTests
{
    private static readonly MessageContract<Ping> s_ping = new(70, new BlittableSerializer<Ping>());
    private static readonly MessageContract<Pong> s_pong = new(71, new BlittableSerializer<Pong>());
    private static int s_names;

    [Fact]
    public async Task Events_with_contracts_and_packed_events_arrive_in_order()
    {
        var sum = Signal.New<int>();
        var numbers = 0;
        await using var server = await ListenAsync(server => server.On(s_ping, (in Ping ping, Peer _) =>
        {
            numbers = (numbers * 10) + ping.Number;
            if (ping.Number == 4)
                sum.SetResult(numbers);
        }));
        await using var client = await MessageHost.ConnectAsync(server.Endpoint);
        var writer = new MessageWriter();
        using var third = writer.Pack(s_ping, new Ping(3));
        using var fourth = writer.Pack(s_ping, new Ping(4));

        Assert.Equal(SendStatus.Sent, client.Send(s_ping, new Ping(1)));
        Assert.Equal(SendStatus.Sent, await client.SendAsync(s_ping, new Ping(2)).AsTask().InTime());
        Assert.Equal(SendStatus.Sent, client.Send(third));
        Assert.Equal(SendStatus.Sent, await client.SendAsync(fourth).AsTask().InTime());

        Assert.Equal(1234, await sum.Task.InTime());
        Assert.False(third.IsReleased); // the caller keeps its messages
        Assert.False(fourth.IsReleased);
    }

    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public async Task Requests_with_contracts_are_replied_to(bool resends)
    {
        await using var server = await ListenAsync(server => server.OnRequest(s_ping, s_pong, static (in Ping ping, Peer _) => new Pong(ping.Number + 1)));
        await using var client = await MessageHost.ConnectAsync(server.Endpoint, options: new MessageHostOptions { Reconnect = resends ? new ReconnectOptions { ResendsRequests = true } : null });

        Assert.Equal(new Pong(2), await client.RequestAsync(s_ping, s_pong, new Ping(1)).AsTask().InTime());
        Assert.Equal(new Pong(3), (await client.TryRequestAsync(s_ping, s_pong, new Ping(2)).AsTask().InTime()).Reply);
        Assert.Equal(new Pong(4), (await client.Server.TryRequestAsync(s_ping, s_pong, new Ping(3)).AsTask().InTime()).Reply);
    }

    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public async Task Request_without_contract_is_refused(bool resends)
    {
        await using var server = await ListenAsync(_ => { });
        await using var client = await MessageHost.ConnectAsync(server.Endpoint, options: new MessageHostOptions { Reconnect = resends ? new ReconnectOptions { ResendsRequests = true } : null });

        // Thrown by the call, and not by its task: a request that waits for a connection would fail later.
        AssertThrows(() => client.TryRequestAsync(null!, s_pong, new Ping(1)).AsTask());
        AssertThrows(() => client.TryRequestAsync(s_ping, (MessageContract<Pong>)null!, new Ping(1)).AsTask());
        AssertThrows(() => client.RequestAsync(s_ping, (MessageContract<Pong>)null!, new Ping(1)).AsTask());
    }

    [Fact]
    public async Task Packed_message_after_the_end_is_closed_and_counted()
    {
        var server = await ListenAsync(_ => { });
        await using var client = await MessageHost.ConnectAsync(server.Endpoint);
        using var packed = new MessageWriter().Pack(s_ping, new Ping(1));
        await server.DisposeAsync().AsTask().InTime();
        await Signal.UntilAsync(() => client.State == ClientState.Disconnected);

        Assert.Equal(SendStatus.Closed, await client.SendAsync(packed).AsTask().InTime());

        Assert.Equal(1, client.GetCount(SendStatus.Closed));
    }

    private static void AssertThrows(Func<Task> call) => Assert.Throws<ArgumentNullException>(() =>
    {
        _ = call();
    });

    private static Task<MessageServer> ListenAsync(Action<MessageServer> configure) =>
        MessageHost.ListenAsync(MessageEndpoint.InProcess($"client-calls-{Interlocked.Increment(ref s_names)}"), configure);
}
