using System.Buffers.Binary;
using System.Linq;
using System.Runtime.CompilerServices;
using Reloaded.Messaging.Wire;
using Xunit;

namespace Reloaded.Messaging.Tests.Udp;

/// <summary>The sent datagrams, compared with a list of the state of each datagram.</summary>
public sealed class LossRecoveryTests : ISentPacketOwner
{
    private const int Size = 1000;

    private readonly List<PacketState> _states = [];
    private readonly List<int> _sizes = [];
    private long _inFlight; // the bytes of the datagrams that are in flight by _states
    private readonly LossRecovery _recovery;
    private int _probes;
    private long _now;

    public LossRecoveryTests() => _recovery = new LossRecovery(this, Size);

    [Fact]
    public void Acknowledgements_do_not_grow_the_memory_while_one_datagram_is_in_flight()
    {
        Send(Size);
        for (var i = 0; i < 100_000; i++)
            Send(0);

        Assert.InRange(Packets(_recovery).Length, 1, 16 * 1024);
        Assert.Equal(PacketState.Lost, _states[0]); // its content is sent again
        Assert.Equal(0, _recovery.InFlight);
        Assert.True(_recovery.IsWithinWindow);
        Send(Size);
        Acknowledge([_states.Count - 1]);
        Assert.Equal(PacketState.Acknowledged, _states[^1]);
    }

    [Theory]
    [InlineData(1)]
    [InlineData(2)]
    [InlineData(3)]
    public void Each_datagram_is_acknowledged_or_lost_once(int seed)
    {
        var random = new Random(seed);
        for (var step = 0; step < 20_000; step++)
        {
            _now += random.Next(5) * TimeSpan.TicksPerMillisecond;
            switch (random.Next(4))
            {
                case 0:
                    for (var left = random.Next(1, 20); left > 0; left--)
                        Send(random.Next(3) == 0 ? 0 : random.Next(1, Size));
                    break;
                case 1:
                    _recovery.Tick(_now);
                    break;
                case 2 when random.Next(100) == 0:
                    _recovery.ForgetPath();
                    break;
                case >= 2 when _states.Count > 0:
                    var newest = Math.Max(0, _states.Count - 1 - random.Next(random.Next(10) == 0 ? 300 : 10)); // late acknowledgements too
                    Acknowledge([.. Enumerable.Range(Math.Max(0, newest - 30), Math.Min(newest, 30)).Where(_ => random.Next(3) > 0), newest]);
                    break;
            }

            Assert.Equal(_inFlight, _recovery.InFlight);
        }

        Assert.InRange(_probes, 1, int.MaxValue);
        Acknowledge([.. Enumerable.Range(Math.Max(0, _states.Count - 900), Math.Min(_states.Count, 900))]);
        Assert.Equal(0, _recovery.InFlight);
        Assert.Equal(long.MaxValue, _recovery.Timer);
    }

    [Theory]
    [InlineData(1, 2)]
    [InlineData(8, 2)]
    [InlineData(40, 10)]
    [InlineData(80, 20)]
    [InlineData(4000, 20)]
    public void Acknowledgements_are_delayed_by_a_quarter_of_the_round_trip_within_limits(int roundTrip, int delay)
    {
        Assert.Equal(20 * TimeSpan.TicksPerMillisecond, _recovery.AcknowledgementDelay); // nothing was measured
        Send(Size);
        _now += roundTrip * TimeSpan.TicksPerMillisecond;
        Acknowledge([0]);

        Assert.Equal(roundTrip * TimeSpan.TicksPerMillisecond, _recovery.RoundTrip);
        Assert.Equal(delay * TimeSpan.TicksPerMillisecond, _recovery.AcknowledgementDelay);
    }

    [Theory]
    [InlineData(5, 100)] // the acknowledgement waited for 5 of the 105 ms
    [InlineData(200, 85)] // longer than a receiver may delay it
    [InlineData(10, 95)]
    public void Round_trip_is_measured_without_the_delay_of_the_acknowledgement(int delay, int expected)
    {
        const long Shortest = 80 * TimeSpan.TicksPerMillisecond;
        Send(Size);
        _now += Shortest;
        Acknowledge([0]);
        Send(Size);
        _now += 105 * TimeSpan.TicksPerMillisecond;
        Acknowledge([1], delay);

        Assert.Equal(Shortest + (((expected * TimeSpan.TicksPerMillisecond) - Shortest) / 8), _recovery.RoundTrip);
        Assert.Equal(Shortest, _recovery.Shortest);
    }

    [Fact]
    public void Probe_after_another_address_is_due_after_the_shortest_time_again()
    {
        Send(Size);
        var first = _recovery.Timer - _now;
        for (var i = 0; i < 3; i++)
            _recovery.Tick(_now = _recovery.Timer);
        Assert.Equal(8 * first, _recovery.Timer);

        _recovery.Probe();

        Assert.Equal(first, _recovery.Timer);
        Assert.Equal(4, _probes);
    }

    [Fact]
    public void Round_trip_is_measured_by_the_largest_acknowledged_datagram()
    {
        Send(Size);
        _now += 20 * TimeSpan.TicksPerMillisecond;
        Send(Size);
        _now += 80 * TimeSpan.TicksPerMillisecond;
        Acknowledge([0, 1]);

        Assert.Equal(80 * TimeSpan.TicksPerMillisecond, _recovery.RoundTrip);
        Assert.Equal(80 * TimeSpan.TicksPerMillisecond, _recovery.Shortest);
    }

    [Fact]
    public void Datagram_on_an_earlier_path_measures_no_round_trip()
    {
        Send(Size);
        _recovery.ForgetPath();
        _now += 80 * TimeSpan.TicksPerMillisecond;
        Acknowledge([0]);

        Assert.False(_recovery.IsMeasured);
    }

    [Fact]
    public void Path_that_reorders_by_some_datagrams_loses_none_that_is_reordered_by_as_many()
    {
        const int Reordered = 10;
        foreach (var acknowledged in new[] { Reordered - 1, Reordered / 2, 0 })
        {
            while (_states.Count < Reordered)
                Send(Size);
            _now += TimeSpan.TicksPerMillisecond;
            Acknowledge([acknowledged]); // each one later than a larger one
        }

        for (var i = 0; i < Reordered; i++)
            Send(Size);
        _now += TimeSpan.TicksPerMillisecond;
        Acknowledge([(2 * Reordered) - 1]);

        Assert.DoesNotContain(PacketState.Lost, _states.Skip(Reordered));
    }

    /// <summary>Before the first measurement, a time between two losses says nothing about the path (RFC 9002, 7.6.2).</summary>
    [Theory]
    [InlineData(true, false, 4)]
    [InlineData(false, false, 10)]
    [InlineData(true, true, 10)]
    public void Losses_over_a_long_time_are_a_persistent_congestion_once_the_round_trip_of_the_path_was_measured(bool isMeasured, bool changesPath, int packets)
    {
        if (isMeasured)
        {
            Send(Size);
            _now += TimeSpan.TicksPerMillisecond;
            Acknowledge([0]);
        }

        for (var i = 0; i < 10; i++)
        {
            Send(Size);
            _now += TimeSpan.TicksPerSecond;
        }

        if (changesPath)
            _recovery.ForgetPath();
        Send(Size);
        _now += TimeSpan.TicksPerMillisecond;
        Acknowledge([_states.Count - 1]);

        Assert.Equal(10, _states.Count(static state => state == PacketState.Lost));
        Assert.Equal(packets * Size, _recovery.Window.Size);
    }

    /// <summary>While the rate of the path is sought, datagrams are sent at more than twice the rate that was measured. Losses would end this.</summary>
    [Fact]
    public void Late_datagrams_are_no_losses_of_the_path()
    {
        const int Count = 40;
        const long Half = 40 * TimeSpan.TicksPerMillisecond; // of a round trip
        SendAll();
        _now += Half;
        SendAll();
        _now += Half;
        Acknowledge([.. Enumerable.Range(0, Count)]);
        _now += Half;
        SendAll();
        Acknowledge([.. Enumerable.Range((2 * Count) - 5, 5)]);
        Assert.Equal(Count - 5, _states.Count(static state => state == PacketState.Lost));
        Acknowledge([.. Enumerable.Range(Count, Count - 5)]); // late
        _now += 2 * Half;
        Acknowledge([.. Enumerable.Range(2 * Count, Count)]);

        var burst = 0;
        for (; burst < Count && _recovery.Window.NextSend(_now) <= _now; burst++)
            Send(Size);
        Assert.InRange(burst, Count / 2, Count); // of 20 ms, a quarter of the round trip

        void SendAll()
        {
            for (var i = 0; i < Count; i++)
                Send(Size);
        }
    }

    [Fact]
    public void Window_is_the_smallest_after_a_persistent_congestion()
    {
        var window = new CongestionWindow(Size);
        Assert.Equal(10 * Size, window.Size);

        window.NotePersistentCongestion();

        Assert.Equal(4 * Size, window.Size);
    }

    void ISentPacketOwner.NoteAcknowledged(in SentPacket packet)
    {
        Assert.True(_states[(int)packet.FirstSegment] is PacketState.InFlight or PacketState.Lost);
        if (_states[(int)packet.FirstSegment] == PacketState.InFlight)
            _inFlight -= _sizes[(int)packet.FirstSegment];
        _states[(int)packet.FirstSegment] = PacketState.Acknowledged;
    }

    void ISentPacketOwner.NoteLost(in SentPacket packet, ulong number)
    {
        Assert.Equal((packet.FirstSegment, PacketState.InFlight), ((uint)number, _states[(int)number]));
        _states[(int)number] = PacketState.Lost;
        _inFlight -= _sizes[(int)number];
    }

    void ISentPacketOwner.NoteProbe() => _probes++;

    [UnsafeAccessor(UnsafeAccessorKind.Field, Name = "_packets")]
    private static extern ref SentPacket[] Packets(LossRecovery recovery);

    private void Send(int size)
    {
        _states.Add(size > 0 ? PacketState.InFlight : PacketState.Resolved);
        _sizes.Add(size);
        _inFlight += size;
        _recovery.NoteSent(new SentPacket { SentAt = _now, Size = size, FirstSegment = (uint)_recovery.Next });
    }

    /// <summary>Writes an acknowledgement of numbers, which are in ascending order.</summary>
    /// <param name="numbers">The numbers.</param>
    /// <param name="delay">The time for which the acknowledgement waited, in milliseconds.</param>
    internal static byte[] MakeAcknowledgement(int[] numbers, int delay)
    {
        Span<byte> body = stackalloc byte[AcknowledgedRanges.HeaderSize + (4 * UVarint.MaxSize * (numbers.Length + 1))];
        body.Clear();
        BinaryPrimitives.WriteUInt64LittleEndian(body, (ulong)numbers[^1]);
        BinaryPrimitives.WriteInt32LittleEndian(body.Slice(sizeof(ulong)), 1000 * delay);
        var size = AcknowledgedRanges.HeaderSize;
        for (var i = numbers.Length - 1; i >= 0;)
        {
            var first = i;
            while (first > 0 && numbers[first - 1] == numbers[first] - 1)
                first--;
            size += UVarint.Write(body.Slice(size), (uint)(i - first + 1));
            if (first > 0)
                size += UVarint.Write(body.Slice(size), (uint)(numbers[first] - numbers[first - 1] - 1));
            i = first - 1;
        }

        return body.Slice(0, size).ToArray();
    }

    private void Acknowledge(int[] numbers, int delay = 0)
    {
        var inFlight = numbers.Where(number => _states[number] == PacketState.InFlight).ToList();
        Assert.True(_recovery.TryAcknowledge(MakeAcknowledgement(numbers, delay), _now));
        Assert.All(inFlight, number => Assert.Equal(PacketState.Acknowledged, _states[number]));
    }
}
