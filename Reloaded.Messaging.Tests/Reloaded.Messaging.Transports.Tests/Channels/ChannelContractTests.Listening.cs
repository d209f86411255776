using Reloaded.Messaging.Tests.Support;
using Xunit;

namespace Reloaded.Messaging.Tests.Channels;

/// <content>How channels come to be.</content>
public abstract partial class ChannelContractTests
{
    [Fact]
    public async Task Connect_without_a_listener_throws()
    {
        var listener = await Factory.Listen(NewEndpoint());
        await listener.DisposeAsync();

        var failure = await Assert.ThrowsAsync<TransportClosedException>(() => Factory.Connect(listener.Endpoint).AsTask().InTime());

        Assert.Contains(listener.Endpoint.ToString(), failure.Message, StringComparison.Ordinal);
    }

    [Fact]
    public async Task Accept_on_a_disposed_listener_returns_null()
    {
        var listener = await Factory.Listen(NewEndpoint());
        var accepting = listener.AcceptAsync(default).AsTask();

        await listener.DisposeAsync();
        await listener.DisposeAsync();

        Assert.Null(await accepting.InTime());
        Assert.Null(await listener.AcceptAsync(default).AsTask().InTime());
    }

    [Fact]
    public async Task Canceled_accept_ends_and_the_next_accept_succeeds()
    {
        await using var listener = await Factory.Listen(NewEndpoint());
        using var source = new CancellationTokenSource();
        var accepting = listener.AcceptAsync(source.Token).AsTask();

        await source.CancelAsync();
        await Assert.ThrowsAnyAsync<OperationCanceledException>(() => accepting.InTime());

        var (server, client) = await ChannelPair.ConnectAsync(listener, Factory);
        client.Abort();
        server.Abort();
    }

    [Fact]
    public async Task Accepted_channels_continue_after_the_listener_is_disposed()
    {
        await using var pair = await ChannelPair.OpenAsync(NewEndpoint(), Factory);

        await pair.Listener.DisposeAsync();

        await pair.Client.SendAsync(new byte[] { 1 }, default);
        await pair.Server.SendAsync(new byte[] { 2 }, default);
        Assert.Equal([1], await Traffic.ReceiveInPiecesAsync(pair.Server, 1, seed: 1));
        Assert.Equal([2], await Traffic.ReceiveInPiecesAsync(pair.Client, 1, seed: 1));
    }

    [Fact]
    public async Task Second_listener_is_refused_and_the_first_continues()
    {
        await using var first = await Factory.Listen(NewEndpoint());
        if (first.Endpoint.Transport is NamedPipeTransport or SharedMemoryTransport)
            TestSystem.RequireFirstPipeInstance();

        var refusal = await Assert.ThrowsAsync<InvalidOperationException>(() => Factory.Listen(first.Endpoint).AsTask());

        Assert.Contains(first.Endpoint.Address, refusal.Message, StringComparison.Ordinal);
        Assert.Contains("already", refusal.Message, StringComparison.Ordinal);
        var (server, client) = await ChannelPair.ConnectAsync(first, Factory);
        client.Abort();
        server.Abort();
    }

    [Fact]
    public async Task Endpoint_is_free_after_its_listener_is_disposed()
    {
        var first = await Factory.Listen(NewEndpoint());
        await first.DisposeAsync();

        await using var second = await Factory.Listen(first.Endpoint);

        await first.DisposeAsync(); // again: it must take nothing from the second
        var (server, client) = await ChannelPair.ConnectAsync(second, Factory);
        client.Abort();
        server.Abort();
    }

    [Fact]
    public async Task Client_that_disconnected_before_accept_does_not_block_others()
    {
        await using var listener = await Factory.Listen(NewEndpoint());
        var connecting = ConnectTwiceAsync();
        if (!Factory.ConnectsOnceAccepted)
            await connecting;

        var buffer = new byte[1];
        var received = 0;
        while (received == 0)
        {
            var channel = await listener.AcceptAsync(default).AsTask().InTime();
            var receiving = channel!.ReceiveAsync(buffer, default).AsTask();
            received = await EndsAsync(receiving) ? 0 : await receiving;
            if (received > 0)
                (await connecting).Abort(); // once its send has returned: a send fails when the other side aborts first
            channel.Abort();
        }

        Assert.Equal(7, buffer[0]);

        async Task<TransportChannel> ConnectTwiceAsync()
        {
            (await Factory.Connect(listener.Endpoint)).Abort();
            var client = await Factory.Connect(listener.Endpoint);
            await client.SendAsync(new byte[] { 7 }, default);
            return client;
        }
    }
}
