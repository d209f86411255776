using System.Buffers.Binary;
using System.Linq;
using Reloaded.Messaging.Hosting;
using Reloaded.Messaging.Tests.Support;
using Xunit;

namespace Reloaded.Messaging.Tests.Connections;

public sealed class OutboxTests : IAsyncDisposable
{
    private readonly GatedChannel _channel = new();

    public ValueTask DisposeAsync() => _channel.DisposeAsync();

    [Fact]
    public async Task What_each_thread_sends_leaves_in_its_order_and_one_write_at_a_time()
    {
        const int threads = 8;
        const int each = 2000;
        var outbox = NewOutbox();
        _channel.LetGo(threads * each);

        var appending = Enumerable.Range(0, threads).Select(thread => Deadline.RunAside(() =>
        {
            var message = new byte[8];
            BinaryPrimitives.WriteInt32LittleEndian(message, thread);
            for (var i = 0; i < each; i++)
            {
                BinaryPrimitives.WriteInt32LittleEndian(message.AsSpan(4), i);
                Assert.Equal(SendStatus.Sent, outbox.Append(message));
            }
        }));
        await Task.WhenAll(appending).InTime();
        await outbox.FlushAsync().InTime();

        var next = new int[threads];
        for (var total = 0; total < threads * each;)
        {
            foreach (var message in await _channel.NextWriteAsync())
            {
                Assert.Equal(next[BinaryPrimitives.ReadInt32LittleEndian(message)]++, BinaryPrimitives.ReadInt32LittleEndian(message.AsSpan(4)));
                total++;
            }
        }

        Assert.False(_channel.HasOverlapped);
    }

    [Fact]
    public async Task Everything_appended_while_a_write_waits_goes_out_in_the_next_one()
    {
        var outbox = NewOutbox();
        Append(outbox, 1);
        Assert.Equal([[1]], await _channel.NextWriteAsync());

        for (byte i = 2; i < 50; i++)
            Append(outbox, i);
        _channel.LetGo();

        Assert.Equal(Enumerable.Range(2, 48).Select(i => new[] { (byte)i }), await _channel.NextWriteAsync());
    }

    [Fact]
    public async Task Past_the_limit_it_is_full_until_a_write_takes_what_waits()
    {
        var outbox = NewOutbox(maxPending: 100);
        outbox.Append(new byte[60]);
        await _channel.NextWriteAsync();

        Assert.Equal(SendStatus.Sent, outbox.Append(new byte[60]));
        Assert.Equal(SendStatus.Full, outbox.Append(new byte[60]));
        Assert.Equal(SendStatus.Sent, outbox.Append(new byte[60], maxPending: 200));
        Assert.Equal(SendStatus.Full, outbox.Append(new byte[79], maxPending: 200)); // one byte too many, with the lengths of the two messages that wait
        var room = outbox.WaitForRoomAsync(60, default);
        Assert.False(room.IsCompleted);

        _channel.LetGo();
        await room.InTime();

        Assert.Equal(SendStatus.Sent, outbox.Append(new byte[60]));
        Assert.Equal(2, (await _channel.NextWriteAsync()).Count);
    }

    [Fact]
    public async Task An_empty_outbox_takes_any_message_and_has_room()
    {
        var outbox = NewOutbox(maxPending: 100);

        Assert.True(outbox.WaitForRoomAsync(1000, default).IsCompleted);
        Assert.Equal(SendStatus.Sent, outbox.Append(new byte[1000]));

        Assert.Equal(1000, (await _channel.NextWriteAsync())[0].Length);
    }

    [Fact]
    public async Task A_flush_ends_when_what_was_appended_before_is_written()
    {
        var outbox = NewOutbox();
        Assert.True(outbox.FlushAsync().IsCompleted);
        Append(outbox, 1);
        await _channel.NextWriteAsync();
        var first = outbox.FlushAsync();
        Append(outbox, 2);
        var second = outbox.FlushAsync();
        Assert.False(first.IsCompleted);

        _channel.LetGo();
        await first.InTime(); // though there is more to write
        await _channel.NextWriteAsync();
        Assert.False(second.IsCompleted);

        _channel.LetGo();
        await second.InTime();
        Assert.True(outbox.FlushAsync().IsCompleted);
    }

    [Fact]
    public async Task What_is_held_is_written_in_one_go_when_the_last_hold_ends()
    {
        var outbox = NewOutbox();
        outbox.Cork();
        outbox.Cork();
        for (byte i = 0; i < 10; i++)
            Append(outbox, i);
        outbox.Uncork();
        Assert.Equal(0, _channel.Begun);

        outbox.Uncork();

        Assert.Equal(1, _channel.Begun); // on this thread, before Release returned
        Assert.Equal(10, (await _channel.NextWriteAsync()).Count);
    }

    [Fact]
    public async Task A_hold_with_nothing_appended_writes_nothing()
    {
        var outbox = NewOutbox();
        outbox.Cork();
        outbox.Uncork();
        Assert.Equal(0, _channel.Begun);

        Append(outbox, 1);

        Assert.Equal([[1]], await _channel.NextWriteAsync());
    }

    [Fact]
    public async Task A_long_hold_keeps_a_bounded_amount_so_that_a_peer_that_reads_is_not_cut_off()
    {
        var outbox = NewOutbox(maxPending: 1 << 20);
        outbox.Cork();

        for (var i = 0; i < 200; i++)
            Assert.Equal(SendStatus.Sent, outbox.Append(new byte[1000]));

        Assert.NotEmpty(await _channel.NextWriteAsync()); // and the hold has not ended
    }

    [Fact]
    public async Task Large_message_has_a_write_of_its_own_between_the_messages_around_it()
    {
        var outbox = NewOutbox();
        Append(outbox, 1);
        await _channel.NextWriteAsync();
        Append(outbox, 2);
        outbox.Append(new byte[FrameQueue.LargeMessage]);
        outbox.Append(new byte[FrameQueue.LargeMessage + 1]);
        Append(outbox, 3);
        Append(outbox, 4);
        var flushed = outbox.FlushAsync();
        _channel.LetGo(5);

        Assert.Equal([[2]], await _channel.NextWriteAsync());
        Assert.Equal(FrameQueue.LargeMessage, Assert.Single(await _channel.NextWriteAsync()).Length);
        Assert.Equal(FrameQueue.LargeMessage + 1, Assert.Single(await _channel.NextWriteAsync()).Length);
        Assert.Equal([[3], [4]], await _channel.NextWriteAsync());
        await flushed.InTime();
        Assert.Equal(0, outbox.PendingBytes);
    }

    [Fact]
    public async Task Flush_waits_for_a_large_message_that_is_the_last()
    {
        var outbox = NewOutbox();
        Append(outbox, 1);
        await _channel.NextWriteAsync();
        outbox.Append(new byte[FrameQueue.LargeMessage]);
        var flushed = outbox.FlushAsync();

        _channel.LetGo();
        await _channel.NextWriteAsync();
        Assert.False(flushed.IsCompleted);

        _channel.LetGo();
        await flushed.InTime();
    }

    [Fact]
    public async Task Large_message_counts_towards_the_limits_and_the_lost_messages()
    {
        var total = new PendingTotal(1 << 20);
        var outbox = new StreamOutbox(_channel, 200_000, static _ => { }, CancellationToken.None, total: total);
        Append(outbox, 1);
        await _channel.NextWriteAsync();
        outbox.Append(new byte[100_000]);
        Assert.Equal(SendStatus.Full, outbox.Append(new byte[100_000]));
        Append(outbox, 2);
        Assert.Equal(total.Taken, outbox.ChargedBytes);
        Assert.InRange(outbox.ChargedBytes, 100_000, 300_000);

        var flushed = outbox.FlushAsync();
        outbox.Close();
        await flushed.InTime();

        Assert.Equal(3, outbox.LostFrames);
        Assert.Equal(0, total.Taken);
        _channel.LetGo();
    }

    private static void Append(Outbox outbox, byte message) => Assert.Equal(SendStatus.Sent, outbox.Append([message]));

    private StreamOutbox NewOutbox(int maxPending = int.MaxValue) => new StreamOutbox(_channel, maxPending, static _ => { }, CancellationToken.None);
}
