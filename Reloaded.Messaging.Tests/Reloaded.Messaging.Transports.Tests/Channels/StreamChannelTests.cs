using System.IO;
using Reloaded.Messaging.Tests.Support;
using Xunit;

namespace Reloaded.Messaging.Tests.Channels;

/// <summary>Channels over the anonymous pipes of the system, which a child process has as its standard input and output.</summary>
public sealed class StreamChannelTests : ChannelContractTests
{
    private static int s_names;

    protected override MessageEndpoint NewEndpoint() => MessageEndpoint.Over(new PipePairs(), $"pipes-{Interlocked.Increment(ref s_names)}");
}

public sealed class StreamEndpointTests
{
    [Fact]
    public async Task Stream_has_one_connection()
    {
        var endpoint = MessageEndpoint.Over(new MemoryStream());
        await using var channel = await endpoint.ConnectAsync(new TransportContext());

        var second = await Assert.ThrowsAsync<InvalidOperationException>(() => endpoint.ConnectAsync(new TransportContext()).AsTask());
        await Assert.ThrowsAsync<InvalidOperationException>(() => endpoint.ListenAsync(new TransportContext()).AsTask());

        Assert.Contains("Open another stream", second.Message, StringComparison.Ordinal);
        Assert.Equal("stream://opened", channel.RemoteName);
    }

    [Fact]
    public async Task Listener_accepts_once_and_ends_by_its_disposal()
    {
        var listener = await MessageEndpoint.Over(new MemoryStream()).ListenAsync(new TransportContext());
        await using var first = await listener.AcceptAsync(default);
        var second = listener.AcceptAsync(default).AsTask();
        Assert.False(second.IsCompleted);

        await listener.DisposeAsync();

        Assert.NotNull(first);
        Assert.Null(await second.InTime());
    }

    [Fact]
    public async Task Listener_that_accepted_nothing_disposes_the_stream()
    {
        var stream = new MemoryStream();
        var listener = await MessageEndpoint.Over(stream).ListenAsync(new TransportContext());

        await listener.DisposeAsync();

        Assert.False(stream.CanRead);
    }

    [Fact]
    public async Task Channel_keeps_no_bytes_that_were_sent_or_received()
    {
        var stream = new LentStream();
        await using var channel = await MessageEndpoint.Over(stream).ConnectAsync(new TransportContext());

        await channel.SendAsync(new byte[] { 1, 2, 3 }, default);
        stream.Position = 0;
        var received = new byte[8];
        var size = await channel.ReceiveAsync(received, default);

        Assert.Equal([1, 2, 3], received.AsSpan(0, size).ToArray());
        Assert.Equal([0, 0, 0], stream.Written.ToArray());
        Assert.Equal([0, 0, 0], stream.Lent.Slice(0, 3).ToArray());
    }

    /// <summary>Keeps the memory that its last calls were given.</summary>
    private sealed class LentStream : MemoryStream
    {
        public ReadOnlyMemory<byte> Written { get; private set; }

        public ReadOnlyMemory<byte> Lent { get; private set; }

        public override ValueTask WriteAsync(ReadOnlyMemory<byte> buffer, CancellationToken cancellationToken = default)
        {
            Written = buffer;
            return base.WriteAsync(buffer, cancellationToken);
        }

        public override ValueTask<int> ReadAsync(Memory<byte> buffer, CancellationToken cancellationToken = default)
        {
            Lent = buffer;
            return base.ReadAsync(buffer, cancellationToken);
        }
    }
}
