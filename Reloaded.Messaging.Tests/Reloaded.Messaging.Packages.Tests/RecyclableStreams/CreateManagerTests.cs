using System.Linq;
using Microsoft.IO;
using Reloaded.Messaging.RecyclableStreams;
using Xunit;

namespace Reloaded.Messaging.Tests.RecyclableStreams;

/// <summary>What a manager keeps, and what its streams take.</summary>
public sealed class CreateManagerTests
{
    private const int SpareBytes = 4 << 20;

    [Fact]
    public void The_librarys_own_default_has_no_bound()
    {
        var settings = new RecyclableMemoryStreamManager().Settings;

        Assert.Equal((0, 0, 0), (settings.MaximumSmallPoolFreeBytes, settings.MaximumLargePoolFreeBytes, settings.MaximumStreamCapacity));
        Assert.False(settings.ZeroOutBuffer);
    }

    [Fact]
    public void Spare_blocks_are_bounded()
    {
        var manager = MessageStreams.CreateManager();
        var streams = Enumerable.Range(0, 400).Select(_ => manager.GetStream()).ToArray();
        Assert.Equal(400 * 16_384, manager.SmallPoolInUseSize);

        Array.ForEach(streams, static stream => stream.Dispose());

        Assert.Equal(SpareBytes, manager.SmallPoolFreeSize);
    }

    [Fact]
    public void Spare_large_buffers_are_bounded_in_all()
    {
        var manager = MessageStreams.CreateManager(new MessageLimits { MaxMessageSize = 64 << 20 });
        var streams = Enumerable.Range(0, 40).Select(i => manager.GetStream(null, (1 + (i % 4)) << 20, asContiguousBuffer: true)).ToArray();
        Assert.InRange(manager.LargePoolInUseSize, 100 << 20, long.MaxValue);

        Array.ForEach(streams, static stream => stream.Dispose());

        Assert.Equal(SpareBytes, manager.LargePoolFreeSize);
    }

    [Theory]
    [InlineData(null, 1 << 20)]
    [InlineData(128, 16_384)]
    [InlineData(16_384, 16_384)]
    [InlineData(16_385, 32_768)]
    public void A_stream_takes_what_a_message_may_in_whole_blocks(int? maxMessageSize, int most)
    {
        var manager = MessageStreams.CreateManager(maxMessageSize is { } size ? new MessageLimits { MaxMessageSize = size } : null);
        using var stream = manager.GetStream();

        stream.Write(new byte[most]);

        Assert.Throws<OutOfMemoryException>(() => stream.WriteByte(1));
    }
}
