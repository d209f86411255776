using System.Linq;
using Reloaded.Messaging.Tests.Support;
using Xunit;

namespace Reloaded.Messaging.Tests.Udp;

/// <summary>Of what every transport promises, that which datagrams can: everything but order, arrival, and a sender that waits.</summary>
public abstract class UdpChannelContract
{
    private static readonly byte[] s_frame = [3, 7, 8, 9];

    protected abstract TransportContext Options { get; }

    [Fact]
    public async Task Whole_frames_arrive_in_both_directions()
    {
        await using var pair = await OpenAsync();
        var frames = Enumerable.Range(0, 1000).SelectMany(i => new byte[] { 3, (byte)i, (byte)(i >> 8), 1 }).ToArray(); // more than one datagram

        await pair.Client.SendAsync(frames, default);
        await pair.Server.SendAsync(frames, default);

        Assert.Equal(frames, await Traffic.ReceiveInPiecesAsync(pair.Server, frames.Length, seed: 1)); // on loopback they do come in order
        Assert.Equal(frames, await Traffic.ReceiveInPiecesAsync(pair.Client, frames.Length, seed: 2));
    }

    [Fact]
    public async Task Receive_of_one_byte_returns_one_byte()
    {
        await using var pair = await OpenAsync();
        await pair.Client.SendAsync(s_frame, default);

        var received = new byte[s_frame.Length];
        for (var i = 0; i < received.Length; i++)
            Assert.Equal(1, await pair.Server.ReceiveAsync(received.AsMemory(i, 1), default).AsTask().InTime());

        Assert.Equal(s_frame, received);
    }

    [Fact]
    public async Task Canceled_receive_ends_and_the_next_receive_returns_the_bytes()
    {
        await using var pair = await OpenAsync();
        using var source = new CancellationTokenSource();
        var receiving = pair.Server.ReceiveAsync(new byte[10], source.Token).AsTask();

        await source.CancelAsync();
        await Assert.ThrowsAnyAsync<OperationCanceledException>(() => receiving.InTime());

        await pair.Client.SendAsync(s_frame, default);
        Assert.Equal(s_frame, await Traffic.ReceiveInPiecesAsync(pair.Server, s_frame.Length, seed: 9));
    }

    [Fact]
    public async Task Each_side_has_a_name_for_the_other()
    {
        await using var pair = await OpenAsync();

        Assert.StartsWith("udp://127.0.0.1:", pair.Client.RemoteName, StringComparison.Ordinal);
        Assert.StartsWith("udp://127.0.0.1:", pair.Server.RemoteName, StringComparison.Ordinal);
        Assert.NotEqual(pair.Client.RemoteName, pair.Server.RemoteName);
    }

    [Fact]
    public async Task Abort_ends_receives_on_both_sides_and_sends_on_the_other_side()
    {
        await using var pair = await OpenAsync();
        var here = pair.Client.ReceiveAsync(new byte[10], default).AsTask();
        var there = pair.Server.ReceiveAsync(new byte[10], default).AsTask();

        pair.Client.Abort();

        await Assert.ThrowsAsync<TransportClosedException>(() => here.InTime());
        Assert.Equal(0, await there.InTime());
        await Assert.ThrowsAsync<TransportClosedException>(async () => await pair.Server.SendAsync(s_frame, default));
    }

    [Fact]
    public async Task End_arrives_after_all_earlier_frames_and_remains()
    {
        await using var pair = await OpenAsync();
        await pair.Server.SendAsync(s_frame, default);
        await pair.Server.DisposeAsync();

        Assert.Equal(s_frame.Length, await Traffic.CountToEndAsync(pair.Client));
        Assert.Equal(0, await pair.Client.ReceiveAsync(new byte[1], default).AsTask().InTime());
    }

    [Theory]
    [InlineData(true)]
    [InlineData(false)]
    public async Task Operations_on_a_closed_channel_throw(bool aborts)
    {
        await using var pair = await OpenAsync();
        await pair.Server.SendAsync(s_frame, default);
        if (aborts)
            pair.Client.Abort();
        await pair.Client.DisposeAsync();

        for (var i = 0; i < 2; i++)
        {
            await Assert.ThrowsAsync<TransportClosedException>(async () => await pair.Client.SendAsync(s_frame, default));
            await Assert.ThrowsAsync<TransportClosedException>(async () => await pair.Client.ReceiveAsync(new byte[1], default));
        }
    }

    [Fact]
    public async Task Closing_any_number_of_times_from_any_thread_while_bytes_flow_ends_everything_once()
    {
        for (var round = 0; round < Extent.Of(3, 15); round++)
        {
            await using var pair = await OpenAsync();
            var (client, server) = (pair.Client, pair.Server);
            var flows = Signal.New<bool>();
            var flowing = new[] { SendAsync(client), SendAsync(server), ReceiveAsync(client, flows), ReceiveAsync(server, flows) };
            await flows.Task.InTime();

            var closing = Enumerable.Range(0, 4).Select(i => Task.Run(async () =>
            {
                client.Abort();
                await (i % 2 == 0 ? client : server).DisposeAsync();
                server.Abort();
            }));

            await Task.WhenAll(closing).InTime();
            await Task.WhenAll(flowing).InTime();
        }

        static Task SendAsync(TransportChannel channel) => Task.Run(async () => await Assert.ThrowsAsync<TransportClosedException>(async () =>
        {
            while (true)
            {
                await channel.SendAsync(s_frame, default);
                await Task.Yield();
            }
        }));

        static async Task ReceiveAsync(TransportChannel channel, TaskCompletionSource<bool> flows)
        {
            var buffer = new byte[s_frame.Length]; // in time, each receive gets one frame or a part
            try
            {
                while (await channel.ReceiveAsync(buffer, default) > 0)
                    flows.TrySetResult(true);
            }
            catch (TransportClosedException)
            {
                flows.TrySetResult(true);
            }
        }
    }

    [Fact]
    public async Task Connect_without_a_listener_throws()
    {
        var listener = await MessageEndpoint.Udp(0).ListenAsync(Options);
        await listener.DisposeAsync();

        var failure = await Assert.ThrowsAsync<TransportClosedException>(() => listener.Endpoint.ConnectAsync(Options).AsTask().InTime());

        Assert.Contains(listener.Endpoint.ToString(), failure.Message, StringComparison.Ordinal);
    }

    [Fact]
    public async Task Accept_on_a_disposed_listener_returns_null()
    {
        var listener = await MessageEndpoint.Udp(0).ListenAsync(Options);
        var accepting = listener.AcceptAsync(default).AsTask();

        await listener.DisposeAsync();
        await listener.DisposeAsync();

        Assert.Null(await accepting.InTime());
        Assert.Null(await listener.AcceptAsync(default).AsTask().InTime());
    }

    [Fact]
    public async Task Canceled_accept_ends_and_the_next_accept_succeeds()
    {
        await using var listener = await MessageEndpoint.Udp(0).ListenAsync(Options);
        using var source = new CancellationTokenSource();
        var accepting = listener.AcceptAsync(source.Token).AsTask();

        await source.CancelAsync();
        await Assert.ThrowsAnyAsync<OperationCanceledException>(() => accepting.InTime());

        var (server, client) = await ChannelPair.ConnectAsync(listener, ChannelFactory.For(Options));
        client.Abort();
        server.Abort();
    }

    [Fact]
    public async Task Accepted_channels_continue_after_the_listener_is_disposed()
    {
        await using var pair = await OpenAsync();

        await pair.Listener.DisposeAsync();

        await pair.Client.SendAsync(s_frame, default);
        await pair.Server.SendAsync(s_frame, default);
        Assert.Equal(s_frame, await Traffic.ReceiveInPiecesAsync(pair.Server, s_frame.Length, seed: 1));
        Assert.Equal(s_frame, await Traffic.ReceiveInPiecesAsync(pair.Client, s_frame.Length, seed: 1));
    }

    [Fact]
    public async Task Second_listener_is_refused_until_the_first_is_disposed()
    {
        var first = await MessageEndpoint.Udp(0).ListenAsync(Options);

        var refusal = await Assert.ThrowsAsync<InvalidOperationException>(() => first.Endpoint.ListenAsync(Options).AsTask());
        Assert.Contains("already", refusal.Message, StringComparison.Ordinal);

        await first.DisposeAsync();
        await using var second = await first.Endpoint.ListenAsync(Options);
        await first.DisposeAsync();
        var (server, client) = await ChannelPair.ConnectAsync(second, ChannelFactory.For(Options));
        client.Abort();
        server.Abort();
    }

    private Task<ChannelPair> OpenAsync() => ChannelPair.OpenAsync(MessageEndpoint.Udp(0), ChannelFactory.For(Options));
}

public sealed class PlainUdpChannelTests : UdpChannelContract
{
    protected override TransportContext Options { get; } = new();
}

public sealed class ProtectedUdpChannelTests : UdpChannelContract
{
    protected override TransportContext Options { get; } = new() { Protection = ProtectionOptions.WithSecret(new byte[16]).RotatingAfter(100) };
}
