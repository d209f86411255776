using Reloaded.Messaging.Hosting;
using Reloaded.Messaging.Tests.Support;
using Xunit;

namespace Reloaded.Messaging.Tests.Connections;

/// <summary>Outboxes that share a limit: a wait for room ends when the message fits, and not before.</summary>
public sealed class PendingTotalTests : IAsyncDisposable
{
    private const int Large = 100_000;

    private readonly GatedChannel _channel = new();

    public ValueTask DisposeAsync() => _channel.DisposeAsync();

    [Fact]
    public async Task Wait_that_begins_after_the_total_was_freed_completes()
    {
        var total = new PendingTotal(1 << 20);
        var outbox = NewOutbox(total);
        total.Take((1 << 20) - 1); // a peer whose write ends
        total.Take(1); // a peer that does not read
        Assert.Equal(SendStatus.Full, outbox.Append(new byte[Large]));

        total.Free((1 << 20) - 1);

        await outbox.WaitForRoomAsync(Large, default).InTime();
        Assert.Equal(SendStatus.Sent, outbox.Append(new byte[Large]));
    }

    [Fact]
    public async Task Wait_for_the_total_does_not_end_because_a_small_message_was_sent_meanwhile()
    {
        var total = new PendingTotal(Large);
        var outbox = NewOutbox(total);
        total.Take(Large);
        Assert.Equal(SendStatus.Full, outbox.Append(new byte[Large]));
        Assert.Equal(SendStatus.Sent, outbox.Append([1]));
        await _channel.NextWriteAsync();

        var waiting = outbox.WaitForRoomAsync(Large, default);

        Assert.False(waiting.IsCompleted);
        total.Free(Large);
        await waiting.InTime();
        Assert.Equal(SendStatus.Sent, outbox.Append(new byte[Large]));
    }

    [Fact]
    public async Task Wait_for_the_total_ends_when_the_outbox_itself_has_room_for_the_message()
    {
        var total = new PendingTotal(Large);
        var outbox = NewOutbox(total);
        total.Take(Large);
        outbox.Append([1]);
        await _channel.NextWriteAsync();
        Assert.Equal(SendStatus.Sent, outbox.Append(new byte[60_000]));
        Assert.Equal(SendStatus.Full, outbox.Append(new byte[10_000]));
        var waiting = outbox.WaitForRoomAsync(10_000, default);
        Assert.False(waiting.IsCompleted);

        _channel.LetGo();

        await waiting.InTime();
        Assert.Equal(SendStatus.Sent, outbox.Append(new byte[10_000]));
    }

    private StreamOutbox NewOutbox(PendingTotal total) => new StreamOutbox(_channel, 1 << 20, static _ => { }, CancellationToken.None, total);
}
