using System.Diagnostics;
using System.Diagnostics.Metrics;
using Reloaded.Messaging.Tests.Dispatching;
using Reloaded.Messaging.Tests.Support;
using Reloaded.Messaging.Wire;
using Xunit;

namespace Reloaded.Messaging.Tests.Metrics;

[Quiet]
public sealed class MessagingMetricsTests : IDisposable
{
    private const string Packed = "reloaded.messaging.packed";
    private const string Dispatched = "reloaded.messaging.dispatched";
    private const string Dropped = "reloaded.messaging.dropped";
    private const string Input = "reloaded.messaging.compression.input";
    private const string Output = "reloaded.messaging.compression.output";
    private const string Outstanding = "reloaded.messaging.buffers.outstanding";

    private readonly MessageContract<Point> _points = Given.Points(3);
    private readonly MessageWriter _writer = new();
    private readonly MeterRecorder _meter = new();

    public void Dispose() => _meter.Dispose();

    [Fact]
    public void The_meter_has_these_instruments()
    {
        Assert.Equal(
            [(Outstanding, "{buffer}"), (Input, "By"), (Output, "By"), (Dispatched, "{message}"), (Dropped, "{message}"), (Packed, "{message}")],
            Pairs());

        (string, string?)[] Pairs()
        {
            var pairs = new (string, string?)[_meter.Units.Count];
            var i = 0;
            foreach (var (name, unit) in _meter.Units)
                pairs[i++] = (name, unit);
            return pairs;
        }
    }

    [Fact]
    public void Meter_of_the_program_with_the_same_name_is_counted_beside_that_of_the_library()
    {
        using var meter = new Meter(MessagingMetrics.MeterName);
        var counter = meter.CreateCounter<long>("game.joined");
        using var recorder = new MeterRecorder();

        counter.Add(3);
        using (_writer.Pack(_points, new Point(1, 2)))
            Assert.Equal((3, 1), (recorder["game.joined"], recorder[Packed]));
    }

    [Fact]
    public void Listener_that_throws_harms_no_message()
    {
        using var listener = new MeterListener
        {
            InstrumentPublished = static (instrument, listener) =>
            {
                if (instrument.Meter.Name == MessagingMetrics.MeterName)
                    listener.EnableMeasurementEvents(instrument);
            },
        };
        listener.SetMeasurementEventCallback<long>(static (_, _, _, _) => throw new InvalidOperationException("A test."));
        listener.Start();
        var dispatcher = new MessageDispatcher<int>();
        using var dropping = new MessageQueue<int>(1, FullMode.DropOldest);

        using var compressed = _writer.Pack(Given.Text(3, new CompressionOptions(new BrotliCompressor())), new string('a', 1000));
        Assert.Equal(DispatchStatus.NoHandler, dispatcher.Dispatch([9]));
        Assert.True(dropping.Enqueue(_writer.Pack(_points, default), 0) is EnqueueStatus.Enqueued or EnqueueStatus.DroppedOldest);
        Assert.True(dropping.Enqueue(_writer.Pack(_points, default), 0) is EnqueueStatus.Enqueued or EnqueueStatus.DroppedOldest);

        Assert.Throws<AggregateException>(listener.RecordObservableInstruments); // only the collection fails
    }

    [Fact]
    public void Every_way_to_pack_a_message_counts_one()
    {
        using var batch = new MessageBatch();
        byte[] packedAlready = [3, 0];

        _writer.Pack(_points, default).Dispose();
        Assert.Equal(1, _meter[Packed]);
        _writer.Pack(Given.Text(3), "text").Dispose();
        Assert.Equal(2, _meter[Packed]);
        _writer.Pack(_points, default, MessageKind.Request, 1).Dispose();
        Assert.Equal(3, _meter[Packed]);
        _writer.PackRaw(new MessageHeader(3), [1]).Dispose();
        Assert.Equal(4, _meter[Packed]);
        _writer.Append(batch, _points, default);
        Assert.True(_writer.TryAppend(batch, Given.Text(3), "text"));
        Assert.Equal(4, _meter[Packed]);
        batch.Clear();
        Assert.Equal(6, _meter[Packed]);
        _writer.Append(batch, _points, default);
        Assert.True(batch.TryAppend(packedAlready)); // counted when it was packed
        batch.Dispose();
        batch.Dispose();
        Assert.Equal(7, _meter[Packed]);
    }

    [Fact]
    public void A_message_that_was_not_packed_is_not_counted()
    {
        var small = new MessageWriter(new MessageLimits { MaxMessageSize = 128 });
        using var batch = new MessageBatch(maxSize: 12);

        Assert.Throws<MessageTooLargeException>(() => { small.Pack(Given.Text(3), new string('a', 128)); });
        Assert.Throws<MessageTooLargeException>(() => { small.PackRaw(new MessageHeader(3), new byte[128]); });
        Assert.True(_writer.TryAppend(batch, _points, default));
        Assert.False(_writer.TryAppend(batch, _points, default));
        batch.Clear();

        Assert.Equal(1, _meter[Packed]);
    }

    [Fact]
    public async Task A_message_that_reached_its_handler_counts_as_dispatched()
    {
        var dispatcher = new MessageDispatcher<int>();
        dispatcher.Register(_points, static (in Point _, ref int _) => { });
        dispatcher.Register(Given.Degrees(4), static async (_, _, _) => await Task.Yield());

        dispatcher.Dispatch(Given.Packed(_points, default));
        Assert.Equal(1, _meter[Dispatched]);
        await dispatcher.DispatchAsync(Given.Packed(_points, default));
        Assert.Equal(2, _meter[Dispatched]);
        await dispatcher.DispatchAsync(Given.Packed(Given.Degrees(4), default));
        Assert.Equal(3, _meter[Dispatched]);

        foreach (var status in Enum.GetValues<DispatchStatus>())
            Assert.Equal((status, 0), (status, DroppedAs(status.ToString())));
    }

    [Fact]
    public void A_message_that_reached_no_handler_counts_as_dropped_under_its_status()
    {
        var dispatcher = new MessageDispatcher<int>(new MessageLimits { MaxMessageSize = 128 });
        dispatcher.Register(Given.Points(3, Given.Always), static (in Point _, ref int _) => { });
        dispatcher.Register(Given.Degrees(4), static (_, _, _) => default);

        AssertDrops(dispatcher, DispatchStatus.Malformed, []);
        AssertDrops(dispatcher, DispatchStatus.TooLarge, new byte[129]);
        AssertDrops(dispatcher, DispatchStatus.CorruptPayload, [0x83, 8, 0, 0, 0, 0xFF]);
        AssertDrops(dispatcher, DispatchStatus.InvalidPayload, [3]);
        AssertDrops(dispatcher, DispatchStatus.NoHandler, [9]);
        AssertDrops(dispatcher, DispatchStatus.NotForHandlers, [0x7F, 4, 1]);
        AssertDrops(dispatcher, DispatchStatus.HandlerIsAsync, Given.Packed(Given.Degrees(4), default));
        Assert.Equal(0, _meter[Dispatched]);
    }

    [Fact]
    public void A_message_that_the_fallback_got_counts_as_dispatched_and_not_as_dropped()
    {
        var dispatcher = new MessageDispatcher<int>();
        dispatcher.RegisterFallback(static (in MessageHeader _, ReadOnlySpan<byte> _, ref int _) => { });

        dispatcher.Dispatch([3]);

        Assert.Equal((1, 0), (_meter[Dispatched], DroppedAs(nameof(DispatchStatus.HandledByFallback))));
        Assert.Equal(1, dispatcher.GetCount(DispatchStatus.HandledByFallback));
    }

    [Fact]
    public void What_a_full_queue_refuses_or_drops_counts_under_the_policy()
    {
        using var rejecting = new MessageQueue<int>(1, FullMode.Reject);
        using var dropping = new MessageQueue<int>(1, FullMode.DropOldest);
        using var refused = _writer.Pack(_points, default);

        rejecting.Enqueue(_writer.Pack(_points, default), 0);
        dropping.Enqueue(_writer.Pack(_points, default), 0);
        Assert.Equal((0, 0), (DroppedAs("QueueFull"), DroppedAs("QueueDroppedOldest")));

        rejecting.Enqueue(refused, 0);
        Assert.Equal((1, 0), (DroppedAs("QueueFull"), DroppedAs("QueueDroppedOldest")));
        dropping.Enqueue(_writer.Pack(_points, default), 0);
        Assert.Equal((1, 1), (DroppedAs("QueueFull"), DroppedAs("QueueDroppedOldest")));
    }

    [Fact]
    public void Compression_counts_the_payloads_that_it_made_smaller_before_and_after()
    {
        var contract = Given.Text(3, new CompressionOptions(new BrotliCompressor()));

        using var small = _writer.Pack(contract, new string('a', 255));
        using var random = _writer.Pack(new MessageContract<ReadOnlyMemory<byte>>(4, new RawSerializer(), contract.Compression), Noise(300));
        Assert.Equal((0, 0), (_meter[Input], _meter[Output]));

        using var compressed = _writer.Pack(contract, new string('a', 1000));
        Assert.Equal((1000, compressed.Length - 5), (_meter[Input], _meter[Output]));
    }

    [Fact]
    public void Outstanding_buffers_are_the_messages_that_nobody_has_released()
    {
        var messages = new[] { _writer.Pack(_points, default), _writer.Pack(_points, default) };
        Assert.Equal(2, _meter[Outstanding]);

        foreach (var message in messages)
            message.Dispose();
        Assert.Equal(0, _meter[Outstanding]);
    }

    [Fact]
    public void Counting_goes_on_while_somebody_collects_and_stops_ten_minutes_later()
    {
        var now = Stopwatch.GetTimestamp();
        OnDemandCounters.StopIfIdle(now + (590 * Stopwatch.Frequency));
        _writer.Pack(_points, default).Dispose();
        Assert.Equal(1, _meter[Packed]);

        OnDemandCounters.StopIfIdle(now + (700 * Stopwatch.Frequency));
        _writer.Pack(_points, default).Dispose();
        Assert.Equal(1, _meter[Packed]); // and on again, by asking
        _writer.Pack(_points, default).Dispose();
        Assert.Equal(2, _meter[Packed]);
    }

    [Fact]
    public void Counting_that_starts_late_counts_in_dispatchers_that_exist()
    {
        OnDemandCounters.StopIfIdle(Stopwatch.GetTimestamp() + (700 * Stopwatch.Frequency));
        var dispatcher = new MessageDispatcher<int>();
        dispatcher.Register(_points, static (in Point _, ref int _) => { });
        var message = Given.Packed(_points, default);

        dispatcher.Dispatch(message);
        Assert.Equal(0, _meter[Dispatched]);
        dispatcher.Dispatch(message);
        Assert.Equal(1, _meter[Dispatched]);

        OnDemandCounters.StopIfIdle(Stopwatch.GetTimestamp() + (700 * Stopwatch.Frequency));
        dispatcher.Dispatch(message);
        Assert.Equal(1, _meter[Dispatched]);
    }

    private static ReadOnlyMemory<byte> Noise(int size)
    {
        var bytes = new byte[size];
        new Random(1).NextBytes(bytes);
        return bytes;
    }

    private void AssertDrops(MessageDispatcher<int> dispatcher, DispatchStatus status, byte[] message)
    {
        var before = DroppedAs(status.ToString());
        Assert.Equal(status, dispatcher.Dispatch(message));
        Assert.Equal((status, before + 1), (status, DroppedAs(status.ToString())));
    }

    private long DroppedAs(string reason) => _meter[$"{Dropped} status={reason}"];
}
