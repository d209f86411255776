using Reloaded.Messaging.Tests.Support;
using Xunit;

namespace Reloaded.Messaging.Tests.Channels;

/// <summary>What every transport promises, in the words of TransportChannel and TransportListener: how bytes travel.</summary>
public abstract partial class ChannelContractTests
{
    /// <summary>An endpoint that nobody uses.</summary>
    protected abstract MessageEndpoint NewEndpoint();

    /// <summary>How to listen and to connect there.</summary>
    protected virtual ChannelFactory Factory => ChannelFactory.Default;

    [Theory]
    [InlineData(1)]
    [InlineData(2)]
    [InlineData(4095)]
    [InlineData(65_537)]
    [InlineData(3_000_001)]
    public async Task Bytes_arrive_whole_and_in_order_in_both_directions_at_once(int length)
    {
        await using var pair = await ChannelPair.OpenAsync(NewEndpoint(), Factory);
        var up = Traffic.Noise(length, seed: length);
        var down = Traffic.Noise(length, seed: -length);

        var sending = Task.WhenAll(Traffic.SendInPiecesAsync(pair.Client, up, seed: 1), Traffic.SendInPiecesAsync(pair.Server, down, seed: 2));
        var received = await Task.WhenAll(
            Traffic.ReceiveInPiecesAsync(pair.Server, length, seed: 3),
            Traffic.ReceiveInPiecesAsync(pair.Client, length, seed: 4));
        await sending.InTime();

        Traffic.AssertSame(up, received[0]);
        Traffic.AssertSame(down, received[1]);
    }

    [Fact]
    public async Task Receive_of_one_byte_returns_one_byte()
    {
        await using var pair = await ChannelPair.OpenAsync(NewEndpoint(), Factory);
        var bytes = Traffic.Noise(3000, seed: 5);
        await pair.Client.SendAsync(bytes, default);

        var received = new byte[bytes.Length];
        for (var i = 0; i < received.Length; i++)
            Assert.Equal(1, await pair.Server.ReceiveAsync(received.AsMemory(i, 1), default).AsTask().InTime());

        Assert.Equal(bytes, received);
    }

    /// <summary>SslStream waits for bytes in this way before it rents memory for them.</summary>
    [Fact]
    public async Task Receive_into_no_memory_takes_no_bytes_and_ends_when_there_are_some()
    {
        await using var pair = await ChannelPair.OpenAsync(NewEndpoint(), Factory);
        var bytes = Traffic.Noise(100, seed: 9);
        var waiting = Task.Run(async () => await pair.Server.ReceiveAsync(Memory<byte>.Empty, default)); // the task of a channel that loops does not end
        await pair.Client.SendAsync(bytes, default);

        Assert.Equal(0, await waiting.InTime());
        Assert.Equal(0, await Task.Run(async () => await pair.Server.ReceiveAsync(Memory<byte>.Empty, default)).InTime());
        var received = new byte[bytes.Length];
        for (var count = 0; count < received.Length;)
            count += await pair.Server.ReceiveAsync(received.AsMemory(count), default).AsTask().InTime();

        Assert.Equal(bytes, received);
    }

    [Fact]
    public async Task Send_waits_while_the_other_side_does_not_receive()
    {
        await using var pair = await ChannelPair.OpenAsync(NewEndpoint(), Factory);
        var sending = pair.Client.SendAsync(new byte[Traffic.MoreThanAnyBufferHolds], default).AsTask();

        await Traffic.ReceiveInPiecesAsync(pair.Server, 100_000, seed: 6);
        Assert.False(sending.IsCompleted);

        await Traffic.ReceiveInPiecesAsync(pair.Server, Traffic.MoreThanAnyBufferHolds - 100_000, seed: 7);
        await sending.InTime();
    }

    [Fact]
    public async Task Canceled_send_ends()
    {
        await using var pair = await ChannelPair.OpenAsync(NewEndpoint(), Factory);
        using var source = new CancellationTokenSource();
        var sending = pair.Client.SendAsync(new byte[Traffic.MoreThanAnyBufferHolds], source.Token).AsTask();
        await Traffic.ReceiveInPiecesAsync(pair.Server, 1, seed: 8);

        await source.CancelAsync();

        await Assert.ThrowsAnyAsync<OperationCanceledException>(() => sending.InTime());
    }

    [Fact]
    public async Task Canceled_receive_ends_and_the_next_receive_returns_the_bytes()
    {
        await using var pair = await ChannelPair.OpenAsync(NewEndpoint(), Factory);
        using var source = new CancellationTokenSource();
        var receiving = pair.Server.ReceiveAsync(new byte[10], source.Token).AsTask();

        await source.CancelAsync();
        await Assert.ThrowsAnyAsync<OperationCanceledException>(() => receiving.InTime());

        await pair.Client.SendAsync(new byte[] { 1, 2, 3 }, default);
        Assert.Equal([1, 2, 3], await Traffic.ReceiveInPiecesAsync(pair.Server, 3, seed: 9));
    }

    [Fact]
    public async Task Each_side_has_a_name_for_the_other()
    {
        await using var pair = await ChannelPair.OpenAsync(NewEndpoint(), Factory);

        Assert.Contains("://", pair.Client.RemoteName, StringComparison.Ordinal);
        Assert.Contains("://", pair.Server.RemoteName, StringComparison.Ordinal);
    }
}
