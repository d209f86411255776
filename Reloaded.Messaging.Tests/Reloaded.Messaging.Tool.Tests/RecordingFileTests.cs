using System.IO;
using System.Text;
using Reloaded.Messaging.Hosting;
using Reloaded.Messaging.Tests.Support;
using Reloaded.Messaging.Tool;
using Xunit;

namespace Reloaded.Messaging.Tests;

/// <summary>Recordings whose disk becomes full.</summary>
public sealed class RecordingFileTests
{
    [Fact]
    public void Event_that_cannot_be_written_ends_the_recording_and_leaves_whole_lines()
    {
        var file = new FullStream();
        using (var recording = new RecordingFile(file, "start"))
        {
            recording.Write(new RecordedMessage(TimeSpan.Zero, [5]));
            file.IsFull = true;
            Assert.Throws<IOException>(() => recording.Write(new RecordedMessage(TimeSpan.Zero, [6])));
        }

        Assert.Equal("start\n{\"time\":0.000000,\"message\":\"05\"}\n", Encoding.UTF8.GetString(file.ToArray()));
    }

    [Fact]
    public async Task Recorder_ends_with_the_error_of_its_file()
    {
        var file = new FullStream();
        using var recording = new RecordingFile(file, "start");
        var recorder = new EventRecorder(int.MaxValue);
        var running = recorder.RunAsync(recording, Timeout.InfiniteTimeSpan, CancellationToken.None);
        file.IsFull = true;
        await using var server = await MessageHost.ListenAsync(MessageEndpoint.Tcp(0));
        await using var client = await MessageHost.ConnectAsync(server.Endpoint, client => client.Tap(recorder.Record));
        server.Broadcast(new Move(1, 2));

        await Assert.ThrowsAsync<IOException>(() => running).InTime();

        Assert.Equal(0, recorder.Count);
    }

    [Theory]
    [InlineData(int.MaxValue, 3)]
    [InlineData(2, 2)]
    public async Task Events_before_the_start_are_written_up_to_the_limit(int most, int written)
    {
        var file = new FullStream();
        using var recording = new RecordingFile(file, "start");
        var recorder = new EventRecorder(most);
        await RecordAsync(recorder, 3);
        Assert.Equal(0, recorder.Count);

        await recorder.RunAsync(recording, most == written ? Timeout.InfiniteTimeSpan : TimeSpan.Zero, CancellationToken.None).InTime();

        Assert.Equal((written, written + 1), (recorder.Count, Encoding.UTF8.GetString(file.ToArray()).Split('\n').Length - 1));
    }

    [Theory]
    [InlineData(true)]
    [InlineData(false)]
    public async Task Event_before_the_start_that_cannot_be_written_is_not_counted(bool hasEnded)
    {
        var file = new FullStream();
        using var recording = new RecordingFile(file, "start");
        var recorder = new EventRecorder(3);
        await RecordAsync(recorder, 3);
        file.IsFull = true;
        if (hasEnded)
            recorder.End();

        await Assert.ThrowsAsync<IOException>(() => recorder.RunAsync(recording, Timeout.InfiniteTimeSpan, CancellationToken.None)).InTime();

        Assert.Equal(0, recorder.Count);
    }

    private static async Task RecordAsync(EventRecorder recorder, int count)
    {
        var left = count;
        var received = new TaskCompletionSource();
        await using var server = await MessageHost.ListenAsync(MessageEndpoint.Tcp(0));
        await using var client = await MessageHost.ConnectAsync(server.Endpoint, client => client.Tap((in TappedMessage message) =>
        {
            recorder.Record(message);
            if (message.Header.Type == 5 && --left == 0)
                received.SetResult();
        }));
        for (var i = 0; i < count; i++)
            server.Broadcast(new Move(i, 2));
        await received.Task.InTime();
    }

    /// <summary>A file on a disk that becomes full: a write stores a part of its bytes and fails.</summary>
    private sealed class FullStream : MemoryStream
    {
        public bool IsFull { get; set; }

        public override void Write(ReadOnlySpan<byte> buffer)
        {
            base.Write(buffer.ToArray(), 0, IsFull ? buffer.Length / 2 : buffer.Length);
            if (IsFull)
                throw new IOException("No space left on device");
        }
    }
}
