using System.Diagnostics;
using System.Linq;
using Reloaded.Messaging.Wire;
using Xunit;

namespace Reloaded.Messaging.Tests.Queueing;

public sealed class PumpTests : IDisposable
{
    private readonly MessageQueue<string> _queue = new(100);

    public void Dispose() => _queue.Dispose();

    [Fact]
    public void The_state_is_told_each_messages_sender_before_its_handler_is_called()
    {
        var state = new Received();
        Fill("anna", 1);
        Fill("bert", 2);
        Fill("anna", 3);

        var result = _queue.Pump(Received.CreateDispatcher(), ref state, PumpBudget.All);

        Assert.Equal(new PumpResult(3, 3, 0), result);
        Assert.Equal([("anna", 1), ("bert", 2), ("anna", 3)], state.Messages);
    }

    [Fact]
    public void The_sender_can_be_the_state_itself()
    {
        var seen = new List<string>();
        var dispatcher = new MessageDispatcher<string>();
        dispatcher.Register(Numbered.Contract, (in Numbered message, ref string sender) => seen.Add($"{sender} {message.Number}"));
        Fill("anna", 1);
        Fill("bert", 2);

        Assert.Equal(new PumpResult(2, 2, 0), _queue.Pump(dispatcher)); // without a budget, everything

        Assert.Equal(["anna 1", "bert 2"], seen);
    }

    [Fact]
    public void What_reaches_no_handler_is_pumped_but_not_handled()
    {
        var dispatcher = new MessageDispatcher<string>();
        Fill("me", 1, 2);
        Assert.Equal(new PumpResult(2, 0, 0), _queue.Pump(dispatcher, PumpBudget.All));
        Assert.Equal(2, dispatcher.GetCount(DispatchStatus.NoHandler));

        dispatcher.RegisterFallback(static (in MessageHeader _, ReadOnlySpan<byte> _, ref string _) => { });
        Fill("me", 3);
        Assert.Equal(new PumpResult(1, 1, 0), _queue.Pump(dispatcher, PumpBudget.All));
    }

    [Fact]
    public void A_pump_of_an_empty_queue_does_nothing() =>
        Assert.Equal(new PumpResult(0, 0, 0), _queue.Pump(new MessageDispatcher<string>(), PumpBudget.All));

    [Fact]
    public void A_budget_of_messages_stops_there_and_the_next_pump_goes_on()
    {
        var dispatcher = Logging(out var seen);
        Fill("me", 1, 2, 3, 4, 5);

        Assert.Equal(new PumpResult(2, 2, 3), _queue.Pump(dispatcher, PumpBudget.Messages(2)));
        Assert.Equal(new PumpResult(2, 2, 1), _queue.Pump(dispatcher, PumpBudget.Messages(2)));
        Assert.Equal(new PumpResult(1, 1, 0), _queue.Pump(dispatcher, PumpBudget.Messages(2)));

        Assert.Equal([1, 2, 3, 4, 5], seen);
    }

    [Fact]
    public void A_budget_of_time_is_checked_after_each_message_and_allows_one_always()
    {
        var budget = TimeSpan.FromMilliseconds(1);
        var seen = new List<int>();
        var dispatcher = new MessageDispatcher<string>();
        dispatcher.Register(Numbered.Contract, (in Numbered message, ref string _) =>
        {
            seen.Add(message.Number);
            var start = Stopwatch.GetTimestamp();
            while (Stopwatch.GetElapsedTime(start) <= budget)
            {
                // Burns more than the whole budget, however fast the machine is.
            }
        });
        Fill("me", 1, 2, 3);

        Assert.Equal(new PumpResult(1, 1, 2), _queue.Pump(dispatcher, PumpBudget.Time(budget)));
        Assert.Equal(new PumpResult(1, 1, 1), _queue.Pump(dispatcher, PumpBudget.Time(TimeSpan.Zero)));

        Assert.Equal([1, 2], seen);
    }

    [Fact]
    public void A_budget_of_time_that_is_not_used_up_handles_everything()
    {
        var dispatcher = Logging(out var seen);
        Fill("me", 1, 2, 3);

        Assert.Equal(new PumpResult(3, 3, 0), _queue.Pump(dispatcher, PumpBudget.Time(TimeSpan.FromHours(1))));

        Assert.Equal([1, 2, 3], seen);
    }

    [Fact]
    public void A_pump_handles_only_what_was_queued_when_it_began()
    {
        var seen = new List<int>();
        var dispatcher = new MessageDispatcher<string>();
        dispatcher.Register(Numbered.Contract, (in Numbered message, ref string sender) =>
        {
            seen.Add(message.Number);
            if (seen.Count < 50) // or a pump that did not stop would never end
                Fill(sender, message.Number + 10);
        });
        Fill("me", 1, 2);

        Assert.Equal(new PumpResult(2, 2, 2), _queue.Pump(dispatcher, PumpBudget.All));
        Assert.Equal([1, 2], seen);

        Assert.Equal(new PumpResult(2, 2, 2), _queue.Pump(dispatcher, PumpBudget.Time(TimeSpan.FromHours(1))));
        Assert.Equal([1, 2, 11, 12], seen);
    }

    [Fact]
    public void A_handler_that_throws_leaves_the_rest_queued_and_releases_its_message()
    {
        var thrown = new InvalidTimeZoneException();
        var dispatcher = new MessageDispatcher<Received>();
        dispatcher.Register(Numbered.Contract, (in Numbered message, ref Received state) =>
        {
            state.Messages.Add((state.Sender, message.Number));
            if (message.Number == 2)
                throw thrown;
        });
        var messages = new[] { Numbered.Pack(1), Numbered.Pack(2), Numbered.Pack(3) };
        foreach (var message in messages)
            _queue.Enqueue(message, "me");
        var state = new Received();

        Assert.Same(thrown, Assert.Throws<InvalidTimeZoneException>(() => { _queue.Pump(dispatcher, ref state, PumpBudget.All); }));
        Assert.Equal([true, true, false], messages.Select(static message => message.IsReleased));
        Assert.Equal(1, _queue.Count);

        Assert.Equal(new PumpResult(1, 1, 0), _queue.Pump(dispatcher, ref state, PumpBudget.All));
        Assert.Equal([("me", 1), ("me", 2), ("me", 3)], state.Messages);
    }

    [Fact]
    public void A_message_that_its_producer_released_while_it_was_queued_throws_at_the_pump_and_the_rest_go_on()
    {
        var dispatcher = Logging(out var seen);
        var released = Numbered.Pack(1);
        _queue.Enqueue(released, "me");
        Fill("me", 2);
        released.Dispose();

        Assert.Throws<ObjectDisposedException>(() => { _queue.Pump(dispatcher, PumpBudget.All); });
        Assert.Equal(new PumpResult(1, 1, 0), _queue.Pump(dispatcher, PumpBudget.All));

        Assert.Equal([2], seen);
    }

    [Fact]
    public void Missing_dispatchers_and_senseless_budgets_are_refused()
    {
        var (state, filter) = (new Received(), new Numbers(1));

        Assert.Throws<ArgumentNullException>(() => { _queue.Pump(null!, PumpBudget.All); });
        Assert.Throws<ArgumentNullException>(() => { _queue.Pump(null!, ref state, PumpBudget.All); });
        Assert.Throws<ArgumentNullException>("dispatcher", () => { _queue.Pump(null!, ref state, ref filter, PumpBudget.All); });
        Assert.Throws<ArgumentOutOfRangeException>(() => { PumpBudget.Messages(0); });
        Assert.Throws<ArgumentOutOfRangeException>(() => { PumpBudget.Time(TimeSpan.FromTicks(-1)); });
    }

    private static MessageDispatcher<string> Logging(out List<int> seen)
    {
        var log = seen = [];
        var dispatcher = new MessageDispatcher<string>();
        dispatcher.Register(Numbered.Contract, (in Numbered message, ref string _) => log.Add(message.Number));
        return dispatcher;
    }

    private void Fill(string sender, params int[] numbers)
    {
        foreach (var number in numbers)
            Assert.Equal(EnqueueStatus.Enqueued, _queue.Enqueue(Numbered.Pack(number), sender));
    }
}
