using System.Linq;
using Reloaded.Messaging.Tests.Support;
using Xunit;

namespace Reloaded.Messaging.Tests.Channels;

/// <content>How a channel ends.</content>
public abstract partial class ChannelContractTests
{
    private const int Period = 251;
    private static readonly byte[] s_bytes = [.. Enumerable.Range(0, Period * 20).Select(i => (byte)(i % Period))]; // each value tells its place

    [Fact]
    public async Task End_arrives_after_all_sent_bytes_and_remains()
    {
        await using var pair = await ChannelPair.OpenAsync(NewEndpoint(), Factory);
        var leaving = SendAndLeaveAsync(); // not awaited: a Windows pipe accepts no more bytes than its buffer has room for, until the other side reads

        Assert.Equal(100_000, await Traffic.CountToEndAsync(pair.Client));
        Assert.Equal(0, await pair.Client.ReceiveAsync(new byte[1], default).AsTask().InTime());
        await pair.Client.DisposeAsync();
        await leaving.InTime();

        async Task SendAndLeaveAsync()
        {
            await pair.Server.SendAsync(new byte[100_000], default);
            await pair.Server.DisposeAsync();
        }
    }

    [Fact]
    public async Task Sent_bytes_arrive_although_the_sender_left_bytes_unread()
    {
        const int length = 8 << 20; // when the last of it is taken, much of it has not arrived
        await using var pair = await ChannelPair.OpenAsync(NewEndpoint(), Factory);
        await pair.Client.SendAsync(new byte[10_000], default);
        var leaving = SendAndLeaveAsync();

        Assert.Equal(length, await Traffic.CountToEndAsync(pair.Client));
        await pair.Client.DisposeAsync();
        await leaving.InTime();

        async Task SendAndLeaveAsync()
        {
            await pair.Server.SendAsync(new byte[length], default);
            await pair.Server.DisposeAsync();
        }
    }

    [Fact]
    public async Task Bytes_that_arrived_before_the_other_side_aborts_are_received()
    {
        await using var pair = await ChannelPair.OpenAsync(NewEndpoint(), Factory);
        await pair.Client.SendAsync(s_bytes, default);
        var first = await Traffic.ReceiveInPiecesAsync(pair.Server, 1, seed: 10); // the bytes have arrived
        pair.Client.Abort();

        var rest = await Traffic.ReceiveInPiecesAsync(pair.Server, s_bytes.Length - 1, seed: 11);

        Traffic.AssertSame(s_bytes, [.. first, .. rest]);
        Assert.True(await EndsAsync(pair.Server.ReceiveAsync(new byte[1], default).AsTask()));
    }

    [Fact]
    public async Task Abort_ends_pending_operations_of_this_side()
    {
        await using var pair = await ChannelPair.OpenAsync(NewEndpoint(), Factory);
        var sending = pair.Client.SendAsync(new byte[Traffic.MoreThanAnyBufferHolds], default).AsTask();
        var receiving = pair.Client.ReceiveAsync(new byte[10], default).AsTask();

        pair.Client.Abort();

        await Assert.ThrowsAsync<TransportClosedException>(() => sending.InTime());
        await Assert.ThrowsAsync<TransportClosedException>(() => receiving.InTime());
    }

    [Fact]
    public async Task Abort_ends_a_waiting_receive_of_the_other_side()
    {
        await using var pair = await ChannelPair.OpenAsync(NewEndpoint(), Factory);
        var receiving = pair.Server.ReceiveAsync(new byte[10], default).AsTask();

        pair.Client.Abort();

        Assert.True(await EndsAsync(receiving));
    }

    [Fact]
    public async Task Abort_ends_a_waiting_send_of_the_other_side()
    {
        await using var pair = await ChannelPair.OpenAsync(NewEndpoint(), Factory);
        var sending = pair.Server.SendAsync(new byte[Traffic.MoreThanAnyBufferHolds], default).AsTask();

        pair.Client.Abort();

        await Assert.ThrowsAsync<TransportClosedException>(() => sending.InTime());
    }

    [Theory]
    [InlineData(true)]
    [InlineData(false)]
    public async Task Operations_on_a_closed_channel_throw(bool aborts)
    {
        await using var pair = await ChannelPair.OpenAsync(NewEndpoint(), Factory);
        if (aborts)
            pair.Client.Abort();
        await Task.WhenAll(pair.Client.DisposeAsync().AsTask(), pair.Server.DisposeAsync().AsTask()).InTime();

        for (var i = 0; i < 2; i++)
        {
            await Assert.ThrowsAsync<TransportClosedException>(() => pair.Client.SendAsync(new byte[1], default).AsTask().InTime());
            await Assert.ThrowsAsync<TransportClosedException>(() => pair.Client.ReceiveAsync(new byte[1], default).AsTask().InTime());
        }
    }

    [Fact]
    public async Task Receive_after_abort_throws_before_the_channel_is_disposed()
    {
        await using var pair = await ChannelPair.OpenAsync(NewEndpoint(), Factory);
        await pair.Server.SendAsync(new byte[100], default);
        pair.Client.Abort();

        for (var i = 0; i < 3; i++)
            await Assert.ThrowsAsync<TransportClosedException>(() => pair.Client.ReceiveAsync(new byte[10], default).AsTask().InTime());
    }

    [Theory]
    [InlineData(true)]
    [InlineData(false)]
    public async Task Send_to_a_closed_side_throws(bool aborts)
    {
        await using var pair = await ChannelPair.OpenAsync(NewEndpoint(), Factory);
        if (aborts)
            pair.Server.Abort();
        else
            _ = pair.Server.DisposeAsync().AsTask();
        using var tooLate = new CancellationTokenSource(Deadline.Length);

        await Assert.ThrowsAsync<TransportClosedException>(async () =>
        {
            while (true) // a network hears of it with the next bytes only
                await pair.Client.SendAsync(new byte[1000], tooLate.Token);
        });
    }

    [Fact]
    public async Task Closing_any_number_of_times_from_any_thread_while_bytes_flow_ends_everything_once()
    {
        for (var round = 0; round < Extent.Of(3, 15); round++)
        {
            await using var pair = await ChannelPair.OpenAsync(NewEndpoint(), Factory);
            var (client, server) = (pair.Client, pair.Server);
            var flows = new TaskCompletionSource();
            var flowing = new[] { SendForeverAsync(client), SendForeverAsync(server), CheckForeverAsync(client, flows), CheckForeverAsync(server, flows) };
            await flows.Task.InTime();

            // On separate threads, because the bytes occupy the thread pool.
            var closing = Enumerable.Range(0, 4).Select(i => Deadline.RunAside(async () =>
            {
                client.Abort();
                await (i % 2 == 0 ? client : server).DisposeAsync();
                server.Abort();
                await server.DisposeAsync();
            }).Unwrap());

            await Task.WhenAll(closing).InTime();
            await Task.WhenAll(flowing).InTime();
        }
    }

    [Fact]
    public async Task Bytes_that_arrive_while_this_side_closes_are_the_next_ones_or_none()
    {
        for (var round = 0; round < 3; round++)
        {
            await using var pair = await ChannelPair.OpenAsync(NewEndpoint(), Factory);
            var flows = new TaskCompletionSource();
            var flowing = new[] { SendForeverAsync(pair.Client), CheckForeverAsync(pair.Server, flows) };
            await flows.Task.InTime();

            await Deadline.RunAside(async () => await pair.Server.DisposeAsync()).Unwrap().InTime();
            await Task.WhenAll(flowing).InTime();
        }
    }

    private static async Task SendForeverAsync(TransportChannel channel)
    {
        await Assert.ThrowsAsync<TransportClosedException>(async () =>
        {
            while (true)
            {
                await channel.SendAsync(s_bytes, default);
                await Task.Yield(); // the test needs a thread too
            }
        });
    }

    /// <summary>Receives until the end, and checks each byte: memory that returns to the pool too early shows as a wrong byte, and so do bytes that are missing before it.</summary>
    private static async Task CheckForeverAsync(TransportChannel channel, TaskCompletionSource flows)
    {
        var buffer = new byte[3000];
        try
        {
            for (var total = 0; await channel.ReceiveAsync(buffer, default) is > 0 and var received; total = (total + received) % Period)
            {
                Traffic.AssertSame(s_bytes[total..(total + received)], buffer[..received]);
                flows.TrySetResult();
            }
        }
        catch (TransportClosedException)
        {
            flows.TrySetResult();
        }
    }

    private static async Task<bool> EndsAsync(Task<int> receiving)
    {
        try
        {
            return await receiving.InTime() == 0;
        }
        catch (TransportClosedException)
        {
            return true;
        }
    }
}
