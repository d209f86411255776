using System.Linq;
using System.Runtime.InteropServices;
using Reloaded.Messaging.Tests.Support;
using Xunit;

namespace Reloaded.Messaging.Tests.Queueing;

/// <summary>Compares a queue with a list: random messages, pumps, filters, and pumps inside of handlers and of filters.</summary>
[Quiet]
public sealed class MessageQueueModelTests
{
    [Theory]
    [InlineData(FullMode.Reject)]
    [InlineData(FullMode.DropOldest)]
    [InlineData(FullMode.Wait)]
    public void Random_use_leaves_the_messages_of_the_model(FullMode fullMode)
    {
        for (var seed = 0; seed < 400; seed++)
        {
            using var run = new Run(seed, fullMode);
            for (var step = 0; step < 60; step++)
                run.Step();
            run.End();
        }
    }

    [Theory]
    [InlineData(FullMode.Reject, 1)]
    [InlineData(FullMode.Reject, 7)]
    [InlineData(FullMode.DropOldest, 1)]
    [InlineData(FullMode.DropOldest, 8)]
    [InlineData(FullMode.Wait, 1)]
    [InlineData(FullMode.Wait, 5)]
    public async Task Each_message_of_several_producers_is_handled_once_in_order_or_dropped_or_refused(FullMode fullMode, int capacity)
    {
        const int Producers = 3;
        const int Messages = 3000;
        var before = MessagePool.GetStatistics();
        using var queue = new MessageQueue<string>(capacity, fullMode);
        var accepted = new List<int>[Producers];
        var producing = Enumerable.Range(0, Producers).Select(producer => Task.Run(async () =>
        {
            accepted[producer] = [];
            for (var i = 0; i < Messages; i++)
            {
                var number = (i * Producers) + producer;
                var message = Numbered.Pack(number);
                var status = fullMode == FullMode.Wait ? await queue.EnqueueAsync(message, "").AsTask().InTime() : queue.Enqueue(message, "");
                if (status == EnqueueStatus.Full)
                    message.Dispose();
                else
                    accepted[producer].Add(number);
            }
        })).ToArray();

        var all = Task.WhenAll(producing);
        var (received, random) = (new Received(), new Random(capacity));
        var dispatcher = Received.CreateDispatcher();
        while (!all.IsCompleted || queue.Count > 0)
        {
            var filter = new Remainder(random.Next(1, 3));
            if (random.Next(2) == 0)
                queue.Pump(dispatcher, ref received, ref filter, PumpBudget.Messages(random.Next(1, 10)));
            else
                queue.Pump(dispatcher, ref received);
            Thread.Yield();
        }

        await all.InTime();
        Assert.Equal(accepted.Sum(static numbers => numbers.Count), received.Messages.Count + (int)queue.Dropped);
        Assert.Equal(Producers * Messages, received.Messages.Count + (int)queue.Dropped + (fullMode == FullMode.Wait ? 0 : (int)queue.Rejected));
        for (var producer = 0; producer < Producers; producer++)
        {
            // A filter takes messages by their remainder, so the order holds among the messages with the same remainder.
            for (var remainder = 0; remainder < 2; remainder++)
            {
                var of = received.Messages.Select(static message => message.Number).Where(number => number % Producers == producer && Remainder.Of(number) == remainder).ToArray();
                Assert.Equal(of.Order(), of);
                Assert.Empty(of.Except(accepted[producer]));
                Assert.Equal(of.Length, of.Distinct().Count());
            }
        }

        Assert.Equal((before.Outstanding, before.SecondReleases), (MessagePool.GetStatistics().Outstanding, MessagePool.GetStatistics().SecondReleases));
    }

    /// <summary>Takes all numbers, or those of one remainder.</summary>
    private readonly struct Remainder(int taken) : IMessageFilter<string>
    {
        public static int Of(int number) => number / 3 % 2;

        public bool Takes(ReadOnlySpan<byte> message, string sender) => Of(MemoryMarshal.Read<int>(message.Slice(1))) < taken;
    }

    /// <summary>A queue and the model of it: the numbers of the messages that a filter has skipped, and of those behind them.</summary>
    private sealed class Run : IDisposable
    {
        private const int Failing = 7; // every message whose number is a multiple makes its handler throw
        private readonly Random _random;
        private readonly int _seed;
        private readonly FullMode _fullMode;
        private readonly MessageQueue<int> _queue;
        private readonly MessageDispatcher<State> _dispatcher = new();
        private readonly List<Item> _model = [];
        private readonly List<int> _handled = [];
        private readonly PoolStatistics _before = MessagePool.GetStatistics();
        private readonly List<PackedMessage> _refused = [];
        private int _held; // the messages that filters decide about
        private int _depth;
        private int _count;
        private int _visits;
        private long _rejected;
        private long _dropped;
        private bool _isDisposed;
        private Expectation? _current;

        public Run(int seed, FullMode fullMode)
        {
            _random = new Random(seed);
            (_seed, _fullMode) = (seed, fullMode);
            var capacities = new[] { 1, 2, 3, 4, 5, 7, 8, 9, 16, 33 };
            _queue = new MessageQueue<int>(capacities[_random.Next(capacities.Length)], fullMode);
            _dispatcher.Register(Numbered.Contract, (in Numbered message, ref State state) => Handle(message.Number, state.Sender));
        }

        public void Step()
        {
            if (_random.Next(5) < 3)
            {
                for (var i = _random.Next(1, _queue.Capacity + 2); i > 0; i--)
                    Enqueue();
            }
            else
            {
                Pump();
            }

            Check();
        }

        public void End()
        {
            _queue.Dispose();
            Assert.Equal(EnqueueStatus.Closed, _queue.Enqueue(Hold(Numbered.Pack(0)), 0));
            foreach (var message in _refused)
                message.Dispose();
            Assert.Equal((_before.Outstanding, _before.SecondReleases), (MessagePool.GetStatistics().Outstanding, MessagePool.GetStatistics().SecondReleases));
        }

        public void Dispose() => _queue.Dispose();

        private void Enqueue()
        {
            var number = _count++;
            var used = _model.Count + _held;
            var skipped = _model.Count(static item => item.IsSkipped) + _held;
            var expected = _isDisposed ? EnqueueStatus.Closed
                : used < _queue.Capacity ? EnqueueStatus.Enqueued
                : _fullMode == FullMode.DropOldest && skipped < _queue.Capacity ? EnqueueStatus.DroppedOldest : EnqueueStatus.Full;
            Require(expected, _queue.Enqueue(Hold(Numbered.Pack(number)), number), "status");
            if (expected == EnqueueStatus.DroppedOldest)
            {
                _model.RemoveAt(_model.FindIndex(static item => !item.IsSkipped));
                _dropped++;
            }

            if (expected <= EnqueueStatus.DroppedOldest)
            {
                _refused.RemoveAt(_refused.Count - 1);
                _model.Add(new Item(number));
            }
            else if (expected == EnqueueStatus.Full)
            {
                _rejected++;
            }
        }

        private PackedMessage Hold(PackedMessage message)
        {
            _refused.Add(message);
            return message;
        }

        /// <summary>Pumps, and compares each message that the filter or the handler gets with the next one of the model.</summary>
        private void Pump()
        {
            _depth++;
            var most = _random.Next(3) == 0 ? _random.Next(1, 4) : int.MaxValue;
            var budget = most == int.MaxValue ? PumpBudget.All : PumpBudget.Messages(most);
            var taken = _random.Next(4) == 0 ? 0 : _random.Next(1, 8); // a set of remainders of 3, by its bits
            var pump = new Expectation(this, _model.Count, most, _random.Next(3) == 0 ? null : taken);
            (_current, var outer) = (pump, _current);
            var state = new State();
            try
            {
                PumpResult result;
                if (pump.Taken is null)
                {
                    result = _queue.Pump(_dispatcher, ref state, budget);
                }
                else
                {
                    var filter = new Filter(pump);
                    result = _queue.Pump(_dispatcher, ref state, ref filter, budget);
                }

                Require(null, pump.FindNext(), "next message at the end of a pump");
                Require(new PumpResult(pump.Pumped, pump.Pumped, _model.Count), result, "result");
            }
            catch (InvalidTimeZoneException)
            {
                // The message that threw is gone, and the others are still there.
            }
            finally
            {
                _current = outer;
                _depth--;
            }
        }

        private void Handle(int number, int sender)
        {
            Require(number, sender, "sender");
            var pump = _current!;
            if (pump.Taken is null)
                pump.Visit(number);
            pump.Pumped++;
            _handled.Add(number);
            UseWithin();
            _current = pump;
            if (number % Failing == Failing - 1)
                throw new InvalidTimeZoneException();
        }

        /// <summary>Uses the queue inside of a handler or a filter.</summary>
        private void UseWithin()
        {
            if (_random.Next(4) == 0)
                Enqueue();
            if (_depth < 4 && _random.Next(3) == 0)
                Pump();
            if (_random.Next(500) == 0)
            {
                _queue.Dispose();
                _isDisposed = true;
                _model.Clear();
            }
        }

        private void Check()
        {
            Require(_model.Count, _queue.Count, "count");
            Require(_dropped, _queue.Dropped, "dropped");
            Require(_rejected, _queue.Rejected, "rejected");
        }

        private void Require<T>(T expected, T found, string what)
        {
            if (!EqualityComparer<T>.Default.Equals(expected, found))
                Assert.Fail($"Mode {_fullMode}, seed {_seed}, capacity {_queue.Capacity}, after {_visits} messages: {what} is {found}, and {expected} in the model.");
        }

        private sealed record Item(int Number)
        {
            public bool IsSkipped { get; set; }
        }

        /// <summary>The pump that runs: which message is next for it, by the model.</summary>
        private sealed class Expectation(Run run, int queued, int most, int? taken)
        {
            private int _seen;
            private int _last = -1; // the newest message that it has visited

            public int? Taken => taken;

            public int Pumped { get; set; }

            public int? FindNext() => _seen < queued && Pumped < most ? run._model.Find(item => item.Number > _last)?.Number : null;

            /// <summary>Takes the next message out of the model.</summary>
            public void Visit(int number)
            {
                run.Require(FindNext(), number, "message");
                run._visits++;
                _seen++;
                _last = number;
                run._model.RemoveAll(item => item.Number == number);
            }

            /// <summary>The decision of the filter about a message, which uses the queue before it decides.</summary>
            public bool Takes(int number)
            {
                Visit(number);
                run._held++;
                try
                {
                    run.UseWithin();
                    if (run._random.Next(60) == 0)
                        throw new InvalidTimeZoneException();
                }
                finally
                {
                    run._current = this;
                    run._held--;
                }

                var isTaken = (taken!.Value >> (number % 3) & 1) != 0;
                if (!isTaken && !run._isDisposed)
                {
                    var place = run._model.FindIndex(item => item.Number > number);
                    run._model.Insert(place < 0 ? run._model.Count : place, new Item(number) { IsSkipped = true });
                }

                return isTaken;
            }
        }

        private readonly struct Filter(Expectation pump) : IMessageFilter<int>
        {
            public bool Takes(ReadOnlySpan<byte> message, int sender) => pump.Takes(sender);
        }

        private struct State : IPumpState<int>
        {
            public int Sender { get; private set; }

            public void SetSender(int sender) => Sender = sender;
        }
    }
}
