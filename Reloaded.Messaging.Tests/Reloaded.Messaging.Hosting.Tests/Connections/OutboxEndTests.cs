using System.Linq;
using Reloaded.Messaging.Hosting;
using Reloaded.Messaging.Tests.Support;
using Xunit;

namespace Reloaded.Messaging.Tests.Connections;

public sealed class OutboxEndTests
{
    private static readonly byte[] s_message = [1, 2, 3];

    [Fact]
    public async Task Close_counts_what_was_not_written_and_wakes_who_waits()
    {
        var channel = new GatedChannel();
        var outbox = new StreamOutbox(channel, 1000, static _ => { }, CancellationToken.None);
        outbox.Append(s_message);
        await channel.NextWriteAsync();
        outbox.Append(s_message);
        outbox.Append(s_message);
        var (room, flushed) = (outbox.WaitForRoomAsync(1000, default), outbox.FlushAsync());

        outbox.Close();
        outbox.Close();

        await room.InTime();
        await flushed.InTime();
        Assert.Equal(3, outbox.LostFrames);
        Assert.Equal(SendStatus.Closed, outbox.Append(s_message));
        Assert.True(outbox.WaitForRoomAsync(3, default).IsCompleted);
        Assert.True(outbox.FlushAsync().IsCompleted);
    }

    [Fact]
    public async Task What_is_sent_behind_the_last_message_is_refused_and_not_lost()
    {
        var channel = new GatedChannel();
        var outbox = new StreamOutbox(channel, 4, static _ => { }, CancellationToken.None);
        outbox.Append(s_message);
        await channel.NextWriteAsync();
        outbox.Append(s_message);
        var room = outbox.WaitForRoomAsync(3, default);

        Assert.True(outbox.TrySeal([9]));
        Assert.False(outbox.TrySeal([9]));
        var after = outbox.Append(s_message);
        await room.InTime();
        var flushed = outbox.FlushAsync();
        channel.LetGo(2);

        Assert.Equal(SendStatus.Closed, after);
        Assert.Equal([s_message, [9]], await channel.NextWriteAsync());
        await flushed.InTime();
        Assert.True(outbox.WaitForRoomAsync(3, default).IsCompleted);
        outbox.Close();
        Assert.Equal(0, outbox.LostFrames);
    }

    [Fact]
    public async Task Large_arrays_are_kept_between_large_writes_and_returned_after_the_last_write()
    {
        var channel = new GatedChannel();
        var total = new PendingTotal(100_000_000);
        var outbox = new StreamOutbox(channel, 10_000_000, static _ => { }, CancellationToken.None, total: total);
        AppendMany(outbox);
        await channel.NextWriteAsync();
        AppendMany(outbox);
        var both = outbox.ChargedBytes;

        channel.LetGo();
        Assert.Equal(2, (await channel.NextWriteAsync()).Count);
        var kept = outbox.ChargedBytes;
        var flushed = outbox.FlushAsync();
        channel.LetGo();
        await flushed.InTime();

        Assert.Equal(both, kept);
        await Signal.UntilAsync(() => (outbox.ChargedBytes, total.Taken) == (0, 0L)); // after the flush has completed
        outbox.Close();
    }

    [Fact]
    public async Task Large_array_is_returned_while_more_than_half_of_the_total_is_in_use()
    {
        var channel = new GatedChannel();
        var total = new PendingTotal(500_000);
        var outbox = new StreamOutbox(channel, 10_000_000, static _ => { }, CancellationToken.None, total: total);
        AppendMany(outbox);
        await channel.NextWriteAsync();
        AppendMany(outbox);
        var both = outbox.ChargedBytes;

        channel.LetGo();
        await channel.NextWriteAsync();

        Assert.InRange(both, 250_001, 500_000);
        Assert.Equal(both / 2, outbox.ChargedBytes);
        outbox.Close();
    }

    [Fact]
    public async Task What_is_held_is_written_when_it_is_flushed()
    {
        var channel = new GatedChannel();
        var outbox = new StreamOutbox(channel, 1000, static _ => { }, CancellationToken.None);
        outbox.Cork();
        outbox.Append(s_message);

        var flushed = outbox.FlushAsync();
        await channel.NextWriteAsync();
        channel.LetGo();

        await flushed.InTime();
        outbox.Uncork();
        Assert.Equal(1, channel.Begun);
    }

    [Theory]
    [InlineData(true)]
    [InlineData(false)]
    public async Task The_count_of_lost_frames_is_final_once_it_is_closed(bool writeFails)
    {
        var channel = new GatedChannel { Failure = writeFails ? new TransportClosedException("gone") : null };
        var outbox = new StreamOutbox(channel, 1000, static _ => { }, CancellationToken.None);
        outbox.Append(s_message);
        await channel.NextWriteAsync();
        outbox.Close();
        var atClose = outbox.LostFrames;

        channel.LetGo();
        await channel.EndOfWriteAsync().InTime();

        Assert.Equal(1, atClose);
        Assert.Equal(atClose, outbox.LostFrames);
    }

    [Theory]
    [MemberData(nameof(Failures))]
    public async Task Whatever_a_channel_fails_with_ends_the_outbox(Exception failure)
    {
        var channel = new GatedChannel { Failure = failure };
        var failed = new TaskCompletionSource<Exception>();
        Outbox? outbox = null;
        outbox = new StreamOutbox(channel, 1000, reason =>
        {
            outbox!.Close(); // as its owner does
            failed.SetResult(reason);
        }, CancellationToken.None);
        outbox.Append(s_message);
        await channel.NextWriteAsync();
        outbox.Append(s_message);
        var flushed = outbox.FlushAsync();

        channel.LetGo();

        Assert.Same(failure, await failed.Task.InTime());
        await flushed.InTime();
        Assert.Equal(2, outbox.LostFrames);
        Assert.Equal(SendStatus.Closed, outbox.Append(s_message));
    }

    public static TheoryData<Exception> Failures() => [new TransportClosedException("gone"), new OperationCanceledException(), new NotSupportedException("not one of ours")];

    [Theory]
    [InlineData(0, 0)]
    [InlineData(2, 2)]
    public void Goodbye_is_not_counted_as_a_lost_message(int messages, int lost)
    {
        var outbox = new StreamOutbox(new GatedChannel(), 1000, static _ => { }, CancellationToken.None);
        outbox.Cork();
        for (var i = 0; i < messages; i++)
            outbox.Append(s_message);

        Assert.True(outbox.TrySeal([9]));
        outbox.Close();

        Assert.Equal(lost, outbox.LostFrames);
    }

    [Fact]
    public async Task A_channel_that_fails_while_others_append_is_reported_once_and_every_frame_counts_once()
    {
        for (var round = 0; round < 200; round++)
        {
            var channel = new GatedChannel { Failure = new TransportClosedException("gone") };
            channel.LetGo(1000);
            var (failures, sent) = (0, 0);
            var failed = new TaskCompletionSource();
            var outbox = new StreamOutbox(channel, 1 << 20, _ =>
            {
                Interlocked.Increment(ref failures);
                failed.TrySetResult();
            }, CancellationToken.None);

            await Task.WhenAll(Enumerable.Range(0, 3).Select(_ => Deadline.RunAside(() =>
            {
                SendStatus status;
                while ((status = outbox.Append(s_message)) != SendStatus.Closed)
                {
                    if (status == SendStatus.Sent)
                        Interlocked.Increment(ref sent);
                    else
                        Thread.Yield();
                }
            }))).InTime();
            await failed.Task.InTime();

            Assert.Equal(1, failures);
            Assert.Equal(1, channel.Begun);
            Assert.Equal(sent, outbox.LostFrames);
        }
    }

    [Fact]
    public async Task The_token_ends_a_write_that_waits()
    {
        var channel = new GatedChannel();
        using var stopping = new CancellationTokenSource();
        var failed = new TaskCompletionSource<Exception>();
        var outbox = new StreamOutbox(channel, 1000, failed.SetResult, stopping.Token);
        outbox.Append(s_message);
        await channel.NextWriteAsync();

        await stopping.CancelAsync();

        Assert.IsAssignableFrom<OperationCanceledException>(await failed.Task.InTime());
    }

    [Fact]
    public async Task Closing_from_many_threads_while_others_append_and_wait_ends_everything()
    {
        for (var round = 0; round < 50; round++)
        {
            var channel = new GatedChannel();
            channel.LetGo(100_000);
            var outbox = new StreamOutbox(channel, 200, static _ => { }, CancellationToken.None);
            var appended = new TaskCompletionSource();
            var working = new List<Task>();
            for (var i = 0; i < 3; i++)
            {
                working.Add(Task.Run(async () =>
                {
                    SendStatus status;
                    while ((status = outbox.Append(s_message)) != SendStatus.Closed)
                    {
                        appended.TrySetResult();
                        if (status == SendStatus.Full)
                            await outbox.WaitForRoomAsync(3, default);
                    }
                }));
            }

            await appended.Task.InTime();
            working.Add(Task.Run(outbox.Close));
            working.Add(Task.Run(outbox.Close));
            await Task.WhenAll(working).InTime();
        }
    }

    /// <summary>Appends messages that together need a large array.</summary>
    private static void AppendMany(Outbox outbox)
    {
        outbox.Cork();
        outbox.Append(new byte[50_000]);
        outbox.Append(new byte[50_000]);
        outbox.Uncork();
    }
}
