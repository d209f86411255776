using System.Linq;
using Reloaded.Messaging.Hosting;
using Reloaded.Messaging.Tests.Support;
using Reloaded.Messaging.Wire;
using Xunit;

namespace Reloaded.Messaging.Tests.Connections;

public sealed class FrameReaderTests
{
    [Fact]
    public async Task Frames_that_come_byte_by_byte_are_whole()
    {
        var messages = Messages(1, 2, 127, 128, 300, 20_000);

        Assert.Equal(messages, await ReadAllAsync(Framed(messages), _ => 1));
    }

    [Fact]
    public async Task Frames_may_be_split_anywhere()
    {
        var messages = Messages(1, 130, 5);
        var bytes = Framed(messages);

        for (var split = 1; split < bytes.Length; split++)
            Assert.Equal(messages, await ReadAllAsync(bytes, position => position < split ? split - position : int.MaxValue));
    }

    [Theory]
    [InlineData(1)]
    [InlineData(2)]
    [InlineData(3)]
    public async Task Many_frames_in_pieces_of_random_size_are_whole(int seed)
    {
        var random = new Random(seed);
        var messages = Messages([.. Enumerable.Range(0, 80).Select(_ => 1 + random.Next(random.Next(1, 40_000)))]);

        Assert.Equal(messages, await ReadAllAsync(Framed(messages), _ => 1 + random.Next(random.Next(1, 50_000))));
    }

    [Fact]
    public async Task A_frame_above_the_limit_is_refused_before_its_bytes_come()
    {
        var channel = new FeedingChannel([.. Prefix(1001)], _ => int.MaxValue);
        using var reader = new FrameReader(channel) { MaxMessageSize = 1000 };
        await reader.FillAsync(default);

        Assert.Equal(FrameStatus.TooLarge, reader.TryRead(out _));
        reader.MaxMessageSize = 1001;
        Assert.Equal(FrameStatus.Incomplete, reader.TryRead(out _));
    }

    [Fact]
    public async Task A_control_frame_may_be_larger_than_others()
    {
        byte[] message = [0x7F, 0x04, 3, .. new byte[500]];
        using var reader = new FrameReader(new FeedingChannel(Framed([message]), _ => 1)) { MaxMessageSize = 200, MaxControlSize = 503 };
        var statuses = new List<FrameStatus>();
        while (await reader.FillAsync(default))
            statuses.Add(reader.TryRead(out _));

        Assert.Equal(FrameStatus.Ok, statuses[^1]);
        Assert.All(statuses.SkipLast(1), status => Assert.Equal(FrameStatus.Incomplete, status));
    }

    [Theory]
    [InlineData(503, new byte[] { 0x7F, 0x00 })]
    [InlineData(503, new byte[] { 0x7F, 0x84 })]
    [InlineData(503, new byte[] { 0x03 })]
    [InlineData(504, new byte[] { })]
    public async Task Another_frame_above_the_limit_is_refused_as_soon_as_it_shows(int size, byte[] begun)
    {
        using var reader = new FrameReader(new FeedingChannel([.. Prefix(size), .. begun], _ => 1)) { MaxMessageSize = 200, MaxControlSize = 503 };
        var statuses = new List<FrameStatus>();
        while (await reader.FillAsync(default))
            statuses.Add(reader.TryRead(out _));

        Assert.Equal(FrameStatus.TooLarge, statuses[^1]);
        Assert.All(statuses.SkipLast(1), status => Assert.Equal(FrameStatus.Incomplete, status));
    }

    [Fact]
    public async Task A_length_that_lies_takes_no_more_memory_than_twice_what_came()
    {
        var channel = new FeedingChannel([.. Prefix(900_000_000), .. new byte[3_000_000]], _ => 1400);
        using var reader = new FrameReader(channel) { MaxMessageSize = int.MaxValue };

        while (await reader.FillAsync(default))
            Assert.Equal(FrameStatus.Incomplete, reader.TryRead(out _));

        Assert.Equal(3_000_005, channel.Arrived);
        Assert.InRange(channel.LargestRatio, 1, 2);
        Assert.InRange(channel.LargestBuffer, 1, 2 * channel.Arrived);
    }

    [Theory]
    [InlineData(new byte[] { 0 })]
    [InlineData(new byte[] { 0x80, 0 })]
    [InlineData(new byte[] { 0xFF, 0xFF, 0xFF, 0xFF, 0x7F })]
    [InlineData(new byte[] { 0x80, 0x80, 0x80, 0x80, 0x80, 0x01 })]
    public async Task A_length_that_is_none_is_malformed(byte[] prefix)
    {
        using var reader = new FrameReader(new FeedingChannel([1, 7, .. prefix], _ => 1));
        var statuses = new List<FrameStatus>();
        while (await reader.FillAsync(default))
            statuses.Add(reader.TryRead(out _));

        Assert.Equal(FrameStatus.Ok, statuses[1]);
        Assert.Contains(FrameStatus.Malformed, statuses);
        Assert.DoesNotContain(FrameStatus.Ok, statuses.Skip(2));
    }

    [Fact]
    public async Task The_end_within_a_frame_shows()
    {
        using var reader = new FrameReader(new FeedingChannel([1, 7, 5, 1], _ => int.MaxValue));
        Assert.True(await reader.FillAsync(default));
        Assert.Equal(FrameStatus.Ok, reader.TryRead(out var message));
        Assert.Equal([7], message.ToArray());

        Assert.Equal(FrameStatus.Incomplete, reader.TryRead(out _));
        Assert.False(await reader.FillAsync(default));
    }

    [Fact]
    public async Task A_large_frames_buffer_is_given_back_behind_it()
    {
        var channel = new FeedingChannel(Framed(Messages(2_000_000)), _ => int.MaxValue);
        using var reader = new FrameReader(channel);
        while (reader.TryRead(out _) != FrameStatus.Ok)
            Assert.True(await reader.FillAsync(default));
        var before = channel.Arrived;

        await reader.FillAsync(default);

        Assert.InRange(channel.RoomOffered, 1, 256 * 1024);
        Assert.Equal(before, channel.Arrived);
    }

    private static async Task<List<byte[]>> ReadAllAsync(byte[] bytes, Func<int, int> cut)
    {
        using var reader = new FrameReader(new FeedingChannel(bytes, cut));
        var read = new List<byte[]>();
        while (await reader.FillAsync(default))
        {
            FrameStatus status;
            while ((status = reader.TryRead(out var message)) == FrameStatus.Ok)
                read.Add(message.ToArray());
            Assert.Equal(FrameStatus.Incomplete, status);
        }

        return read;
    }

    private static List<byte[]> Messages(params int[] sizes) => [.. sizes.Select(size => Traffic.Noise(size, size))];

    private static byte[] Framed(List<byte[]> messages) => [.. messages.SelectMany(message => (byte[])[.. Prefix(message.Length), .. message])];

    private static byte[] Prefix(int length)
    {
        var bytes = new byte[UVarint.MaxSize];
        return bytes[..UVarint.Write(bytes, (uint)length)];
    }
}
