using Reloaded.Messaging;
using Xunit;

namespace Reloaded.Messaging.Tests.Readme;

/// <summary>The queue of docs/packing.md, compiled and run.</summary>
public sealed class DispatchingPageTests
{
    [Message(3)]
    public readonly record struct Move(float X, float Y, float Z);

    [Fact]
    public void Queue_pumped_after_enqueue_handles_the_message()
    {
        var (writer, player) = (new MessageWriter(), new Player());
        var dispatcher = new MessageDispatcher<Player>();
        dispatcher.Register<Move>(static (in move, ref who) => who.Moves++);
        var packed = writer.Pack(new Move(1, 2, 3));

        using var queue = new MessageQueue<Player>(capacity: 1024);

        // Where messages are received, on any thread. The queue releases the messages that it accepts.
        if (queue.Enqueue(packed, player) is EnqueueStatus.Full or EnqueueStatus.Closed)
            packed.Dispose();

        // Where messages are handled, once a frame.
        PumpResult done = queue.Pump(dispatcher, PumpBudget.Time(TimeSpan.FromMilliseconds(2)));

        Assert.Equal((new PumpResult(1, 1, 0), 1, true), (done, player.Moves, packed.IsReleased));
    }

    [Fact]
    public void Pump_with_async_handler_skips_and_counts_the_message()
    {
        var (called, dispatcher) = (false, new MessageDispatcher<Player>());
        dispatcher.Register<Move>((_, _, _) =>
        {
            called = true;
            return default(ValueTask);
        });
        using var queue = new MessageQueue<Player>(capacity: 1);
        var packed = new MessageWriter().Pack(default(Move));
        queue.Enqueue(packed, new Player());

        Assert.Equal(new PumpResult(1, 0, 0), queue.Pump(dispatcher));

        Assert.Equal((false, true, 1), (called, packed.IsReleased, dispatcher.GetCount(DispatchStatus.HandlerIsAsync)));
    }

    private sealed class Player
    {
        public int Moves { get; set; }
    }
}
