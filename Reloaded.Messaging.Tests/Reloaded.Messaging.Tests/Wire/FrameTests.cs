using Reloaded.Messaging.Wire;
using Xunit;

namespace Reloaded.Messaging.Tests.Wire;

public sealed class FrameTests
{
    private const int DefaultLimit = 1 << 20;

    public static TheoryData<string, FrameStatus, string, string> Frames { get; } = ReadFrames();

    public static TheoryData<string, string> WholeFrames { get; } = ReadWholeFrames();

    public static TheoryData<string, string, string, FrameStatus> Batches { get; } = ReadBatches();

    [Theory]
    [MemberData(nameof(Frames))]
    public void A_documented_stream_reads_as_what_it_means(string stream, FrameStatus expected, string message, string rest)
    {
        ReadOnlySpan<byte> source = WireFormatPage.Bytes(stream);

        Assert.Equal(expected, Frame.TryRead(ref source, DefaultLimit, out var read));
        Assert.Equal(WireFormatPage.Bytes(message), read.ToArray());
        Assert.Equal(WireFormatPage.Bytes(rest), source.ToArray());
    }

    [Theory]
    [MemberData(nameof(WholeFrames))]
    public void Every_truncation_of_a_frame_is_incomplete(string stream, string rest)
    {
        var frame = WireFormatPage.Bytes(stream).AsSpan(0, WireFormatPage.Bytes(stream).Length - WireFormatPage.Bytes(rest).Length);
        for (var length = 0; length < frame.Length; length++)
        {
            ReadOnlySpan<byte> source = frame.Slice(0, length);
            Assert.Equal(FrameStatus.Incomplete, Frame.TryRead(ref source, DefaultLimit, out _));
            Assert.Equal(length, source.Length);
        }
    }

    [Theory]
    [MemberData(nameof(Batches))]
    public void A_documented_batch_reads_as_its_messages(string batch, string messages, string leftOver, FrameStatus end)
    {
        var expected = new List<string>();
        if (messages != "-")
            expected.AddRange(messages.Split(" / "));

        ReadOnlySpan<byte> source = WireFormatPage.Bytes(batch);
        foreach (var message in expected)
        {
            Assert.Equal(FrameStatus.Ok, Frame.TryRead(ref source, DefaultLimit, out var read));
            Assert.Equal(WireFormatPage.Bytes(message), read.ToArray());
        }

        Assert.Equal(end, Frame.TryRead(ref source, DefaultLimit, out _));
        Assert.Equal(WireFormatPage.Bytes(leftOver), source.ToArray());
    }

    [Fact]
    public void The_documented_streams_cover_every_status()
    {
        var found = new HashSet<FrameStatus>();
        foreach (var row in WireFormatPage.Table("Frame vectors"))
            found.Add(Enum.Parse<FrameStatus>(row[1]));
        Assert.Equal(Enum.GetValues<FrameStatus>().Length, found.Count);
    }

    [Theory]
    [InlineData(1)]
    [InlineData(127)]
    [InlineData(128)]
    [InlineData(16383)]
    [InlineData(16384)]
    public void A_message_of_exactly_the_limit_is_read_and_one_byte_more_is_too_large(int limit)
    {
        ReadOnlySpan<byte> source = FrameOf(limit);
        Assert.Equal(FrameStatus.Ok, Frame.TryRead(ref source, limit, out var message));
        Assert.Equal(limit, message.Length);
        Assert.True(source.IsEmpty);

        source = FrameOf(limit + 1);
        var before = source.Length;
        Assert.Equal(FrameStatus.TooLarge, Frame.TryRead(ref source, limit, out message));
        Assert.True(message.IsEmpty);
        Assert.Equal(before, source.Length);
    }

    [Theory]
    [InlineData(0)]
    [InlineData(-1)]
    [InlineData(int.MinValue)]
    public void Under_a_limit_of_nothing_every_message_is_too_large(int limit)
    {
        ReadOnlySpan<byte> source = [0x01, 0x7E];
        Assert.Equal(FrameStatus.TooLarge, Frame.TryRead(ref source, limit, out _));
    }

    [Fact]
    public void Without_a_limit_no_length_is_believed_that_is_not_there()
    {
        ReadOnlySpan<byte> source = [0xFF, 0xFF, 0xFF, 0xFF, 0x07, 0x7E];
        Assert.Equal(FrameStatus.Incomplete, Frame.TryRead(ref source, int.MaxValue, out _));
        source = [0xFF, 0xFF, 0xFF, 0xFF, 0x0F, 0x7E];
        Assert.Equal(FrameStatus.TooLarge, Frame.TryRead(ref source, int.MaxValue, out _));
    }

    private static byte[] FrameOf(int size)
    {
        var frame = new byte[UVarint.SizeOf((uint)size) + size];
        UVarint.Write(frame, (uint)size);
        return frame;
    }

    private static TheoryData<string, FrameStatus, string, string> ReadFrames()
    {
        var data = new TheoryData<string, FrameStatus, string, string>();
        foreach (var row in WireFormatPage.Table("Frame vectors"))
            data.Add(row[0], Enum.Parse<FrameStatus>(row[1]), row[2], row[3]);
        return data;
    }

    private static TheoryData<string, string> ReadWholeFrames()
    {
        var data = new TheoryData<string, string>();
        foreach (var row in WireFormatPage.Table("Frame vectors"))
        {
            if (row[1] == nameof(FrameStatus.Ok))
                data.Add(row[0], row[3]);
        }

        return data;
    }

    private static TheoryData<string, string, string, FrameStatus> ReadBatches()
    {
        var data = new TheoryData<string, string, string, FrameStatus>();
        foreach (var row in WireFormatPage.Table("Batch vectors"))
            data.Add(row[0], row[1], row[2], Enum.Parse<FrameStatus>(row[3]));
        return data;
    }
}
