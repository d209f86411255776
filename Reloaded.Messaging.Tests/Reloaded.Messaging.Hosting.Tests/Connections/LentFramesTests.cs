using Reloaded.Messaging.Hosting;
using Reloaded.Messaging.Wire;
using Xunit;

namespace Reloaded.Messaging.Tests.Connections;

/// <summary>A channel that hands out what it received where it is, and what of it is given back when.</summary>
public sealed class LentFramesTests
{
    [Fact]
    public async Task Messages_are_read_where_they_are_and_given_back_before_the_next()
    {
        var channel = new LendingChannel([2, 3, 0xAA, 1, 4], [2, 5, 0xBB]);
        using var reader = new FrameReader(channel);

        Assert.True(await reader.FillAsync(default));
        Assert.Equal([3, 0xAA], Read(reader, channel.Lent[0]));
        Assert.Equal([4], Read(reader, channel.Lent[0]));
        Assert.Equal(FrameStatus.Incomplete, reader.TryRead(out _));
        Assert.Equal(0, channel.Returned);

        Assert.True(await reader.FillAsync(default));
        Assert.Equal(1, channel.Returned);
        Assert.Equal([5, 0xBB], Read(reader, channel.Lent[1]));
        Assert.False(await reader.FillAsync(default));
        Assert.Equal(2, channel.Returned);
    }

    [Fact]
    public async Task A_frame_that_is_cut_off_is_malformed_since_its_rest_never_comes()
    {
        using var reader = new FrameReader(new LendingChannel([1, 4, 3, 5]));
        await reader.FillAsync(default);

        Assert.Equal(FrameStatus.Ok, reader.TryRead(out _));
        Assert.Equal(FrameStatus.Malformed, reader.TryRead(out _));
    }

    [Fact]
    public async Task What_was_read_is_zeroed_where_it_is_when_that_is_asked()
    {
        var channel = new LendingChannel([2, 3, 0xAA]);
        using var reader = new FrameReader(channel);
        await reader.FillAsync(default);
        reader.TryRead(out _);

        reader.ClearRead();

        Assert.Equal(new byte[3], channel.Lent[0]);
    }

    [Fact]
    public async Task The_last_block_is_given_back_once_however_often_the_reader_is_disposed()
    {
        var channel = new LendingChannel([2, 3, 0xAA]);
        var reader = new FrameReader(channel);
        await reader.FillAsync(default);

        reader.Dispose();
        reader.Dispose();

        Assert.Equal(1, channel.Returned);
        Assert.Equal(FrameStatus.Incomplete, reader.TryRead(out _));
    }

    private static byte[] Read(FrameReader reader, byte[] lent)
    {
        Assert.Equal(FrameStatus.Ok, reader.TryRead(out var message));
        Assert.True(lent.AsSpan().Overlaps(message));
        return message.ToArray();
    }

    private sealed class LendingChannel(params byte[][] blocks) : TransportChannel, ILendsFrames
    {
        private bool _isLent;

        public List<byte[]> Lent { get; } = [];

        public int Returned { get; private set; }

        public override string RemoteName => "lender";

        public ValueTask<Memory<byte>> ReceiveFramesAsync(CancellationToken cancellationToken)
        {
            Assert.False(_isLent);
            if (Lent.Count == blocks.Length)
                return default;
            _isLent = true;
            Lent.Add(blocks[Lent.Count]);
            return new ValueTask<Memory<byte>>(Lent[^1]);
        }

        public void ReturnFrames()
        {
            Returned += _isLent ? 1 : 0;
            _isLent = false;
        }

        public override ValueTask SendAsync(ReadOnlyMemory<byte> frames, CancellationToken cancellationToken) => throw new NotSupportedException();

        public override ValueTask<int> ReceiveAsync(Memory<byte> buffer, CancellationToken cancellationToken) => throw new NotSupportedException();

        public override void Abort()
        {
        }

        public override ValueTask DisposeAsync() => default;
    }
}
