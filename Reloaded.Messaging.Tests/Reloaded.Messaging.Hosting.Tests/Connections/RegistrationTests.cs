using Reloaded.Messaging.Hosting;
using Reloaded.Messaging.Tests.Support;
using Xunit;

namespace Reloaded.Messaging.Tests.Connections;

/// <summary>Nothing is left of a registration that is refused, and no peer hears of it; nor of one that is disposed.</summary>
public sealed class RegistrationTests
{
    [Fact]
    public async Task A_handler_that_is_refused_disconnects_nobody_and_keeps_nobody_out()
    {
        await using var server = await MessageHost.ListenAsync(MessageEndpoint.Tcp(0), server =>
        {
            server.On((in Note _, Peer _) => { });
            server.OnRequest((Ping ping) => new Pong(ping.Number));
        });
        await using var client = await ConnectAsync(server);
        await server.Connection().InTime();

        Assert.Throws<InvalidOperationException>(() => server.On(Of<Ping>(3), (in Ping _, Peer _) => { }));
        Assert.Throws<InvalidOperationException>(() => server.OnRequest(Of<Ping>(3), Of<Pong>(50), (in Ping ping, Peer _) => new Pong(1)));

        Assert.Equal(new Pong(1), await client.RequestAsync<Ping, Pong>(new Ping(1)).AsTask().InTime());
        await using var next = await ConnectAsync(server);
        Assert.Equal(new Pong(2), await next.RequestAsync<Ping, Pong>(new Ping(2)).AsTask().InTime());
    }

    [Fact]
    public async Task A_reply_with_the_id_of_another_type_that_is_handled_is_refused()
    {
        await using var server = await MessageHost.ListenAsync(MessageEndpoint.Tcp(0), server => server.On((in Note _, Peer _) => { }));
        await using var client = await ConnectAsync(server);
        await server.Connection().InTime();

        var refused = Assert.Throws<InvalidOperationException>(() => server.OnRequest(Of<Ping>(1), Of<Pong>(3), (in Ping ping, Peer _) => new Pong(ping.Number)));

        Assert.Contains("type 3", refused.Message, StringComparison.Ordinal);
        server.OnRequest((Ping ping) => new Pong(ping.Number)); // nothing is left of the other
        await server.AnsweredAsync();
        Assert.Equal(new Pong(1), await client.RequestAsync<Ping, Pong>(new Ping(1)).AsTask().InTime());
    }

    [Fact]
    public async Task A_handler_for_the_id_of_another_type_that_is_replied_with_is_refused()
    {
        await using var server = await MessageHost.ListenAsync(MessageEndpoint.Tcp(0));
        var answering = server.OnRequest((Ping ping) => new Pong(ping.Number));

        Assert.Throws<InvalidOperationException>(() => server.On(Of<Ping>(2), (in Ping _, Peer _) => { }));
        server.On((in Pong _, Peer _) => { }).Dispose(); // the same type

        answering.Dispose();
        server.On(Of<Ping>(2), (in Ping _, Peer _) => { });
    }

    [Fact]
    public async Task OnRequest_of_many_types_searches_the_replies_only_for_an_id_of_another_type()
    {
        await using var server = await MessageHost.ListenAsync(MessageEndpoint.Tcp(0));
        for (uint type = 100; type < 400; type += 2)
            server.OnRequest(Of<Ping>(type), Of<Pong>(type + 1), (in Ping ping, Peer _) => new Pong(ping.Number));

        Assert.Equal(0, server.Contracts.ReplySearches);
        Assert.Throws<InvalidOperationException>(() => server.OnRequest(Of<Ping>(101), Of<Pong>(400), (in Ping ping, Peer _) => new Pong(ping.Number)));
        Assert.Equal(1, server.Contracts.ReplySearches);
    }

    [Fact]
    public async Task Host_has_as_many_contracts_as_peers_accept_and_keeps_a_place_for_a_reply()
    {
        await using var server = await MessageHost.ListenAsync(MessageEndpoint.InProcess($"contracts-{Guid.NewGuid():N}"));
        for (var type = 100u; server.Contracts.GetAll().Length < ContractDescriptor.MaxCount - 2; type++)
            server.On(Of<Ping>(type), (in Ping _, Peer _) => { });

        server.OnRequest(Of<Ping>(10_000), Of<Pong>(10_001), (in Ping ping, Peer _) => new Pong(ping.Number)).Dispose();
        var refused = Assert.Throws<InvalidOperationException>(() => server.On(Of<Ping>(10_002), (in Ping _, Peer _) => { }));

        Assert.StartsWith($"This host has {ContractDescriptor.MaxCount} contracts; peers accept at most {ContractDescriptor.MaxCount}.", refused.Message, StringComparison.Ordinal);
    }

    private static async Task<MessageClient> ConnectAsync(MessageServer server) =>
        await MessageHost.ConnectAsync(server.Endpoint, client => client.On((in Note _, Peer _) => { })).InTime();

    private static MessageContract<T> Of<T>(uint type)
        where T : unmanaged => new(type, new BlittableSerializer<T>());
}
