using System.Buffers.Binary;
using System.Diagnostics.CodeAnalysis;
using System.Linq;
using Reloaded.Messaging.Games;
using Reloaded.Messaging.Tests.Support;
using Xunit;

namespace Reloaded.Messaging.Tests.Paths;

/// <summary>A path, compared with a list of datagrams and the times between which each may leave it.</summary>
public sealed class PathQueueModelTests
{
    /// <summary>A timer counts whole milliseconds.</summary>
    private static readonly long s_late = TimeSpan.TicksPerMillisecond;

    [Fact]
    public void Datagrams_leave_in_their_time_or_are_counted_as_lost() => ModelRun.Compare(60, 600, static random =>
    {
        var world = new World();
        return () => random.Next(10) switch
        {
            < 6 => world.Enter(random.Next(3), 4 + random.Next(1200)),
            < 9 => world.Advance(random.Next(60)),
            _ => world.Change(random),
        };
    });

    [Fact]
    public async Task Datagrams_that_leave_at_one_time_keep_their_order()
    {
        var (path, time, lane) = (new NetworkPath { Delay = TimeSpan.FromMilliseconds(50) }, new ManualTime(), new RecordingLane());
        await using var queue = new PathQueue(path, time);
        for (var i = 0; i < 100; i++)
            queue.Enter(lane, BitConverter.GetBytes(i));

        time.Advance(TimeSpan.FromMilliseconds(49));
        Assert.Empty(lane.Sent);
        time.Advance(TimeSpan.FromMilliseconds(1));

        Assert.Equal(Enumerable.Range(0, 100), lane.Sent);
    }

    [Theory]
    [InlineData(0.1)]
    [InlineData(0.5)]
    public async Task Loss_is_a_share_of_the_datagrams(double loss)
    {
        const int Count = 10_000;
        var (path, lane) = (new NetworkPath { Loss = loss }, new RecordingLane());
        await using var queue = new PathQueue(path, new ManualTime());
        for (var i = 0; i < Count; i++)
            queue.Enter(lane, BitConverter.GetBytes(i));

        Assert.Equal(Count, path.Passed + path.Lost);
        Assert.InRange(path.Lost / (double)Count, loss - 0.05, loss + 0.05); // ten standard deviations
    }

    [Fact]
    public async Task Datagrams_beyond_the_memory_of_the_path_are_lost()
    {
        const int Size = 1 << 16;
        var path = new NetworkPath { Delay = TimeSpan.FromSeconds(10) };
        await using var queue = new PathQueue(path, new ManualTime());
        for (var i = 0; i < (PathQueue.MaxBytes / Size) + 3; i++)
            queue.Enter(new RecordingLane(), new byte[Size]);

        Assert.Equal(3, path.Lost);
    }

    [Fact]
    public async Task Datagram_that_the_system_does_not_send_is_lost()
    {
        var path = new NetworkPath();
        await using var queue = new PathQueue(path, new ManualTime());
        queue.Enter(new RecordingLane { IsBroken = true }, [1, 2, 3, 4]);

        Assert.Equal((0, 1), (path.Passed, path.Lost));
    }

    [Fact]
    public async Task Datagrams_on_the_path_leave_in_their_order_when_it_ends()
    {
        var (path, lane) = (new NetworkPath { Delay = TimeSpan.FromSeconds(10) }, new RecordingLane());
        await using (var queue = new PathQueue(path, new ManualTime()))
        {
            for (var i = 0; i < 100; i++)
                queue.Enter(lane, BitConverter.GetBytes(i));
            Assert.Empty(lane.Sent);
        }

        Assert.Equal(Enumerable.Range(0, 100), lane.Sent);
        Assert.Equal((100, 0), (path.Passed, path.Lost));
    }

    private sealed class RecordingLane : PathLane
    {
        public List<int> Sent { get; } = [];

        public bool IsBroken { get; init; }

        public override bool TrySend(ReadOnlySpan<byte> datagram)
        {
            Sent.Add(BinaryPrimitives.ReadInt32LittleEndian(datagram));
            return !IsBroken;
        }
    }

    /// <summary>A path with three lanes, and its model.</summary>
    [SuppressMessage("Design", "CA1001", Justification = "The timer of the queue is that of the manual time.")]
    private sealed class World
    {
        private readonly NetworkPath _path = new();
        private readonly ManualTime _time = new();
        private readonly PathQueue _queue;
        private readonly RecordingLane[] _lanes = [new(), new(), new()];
        private readonly long[] _freeAt = new long[3];
        private readonly Dictionary<int, (int Lane, long Earliest, long Latest)> _expected = [];
        private int _number;
        private int _lost;
        private int _passed;

        public World() => _queue = new PathQueue(_path, _time);

        private long Now => _time.GetTimestamp();

        public string Change(Random random)
        {
            _path.Delay = TimeSpan.FromMilliseconds(random.Next(3) == 0 ? 0 : random.Next(300));
            _path.Jitter = TimeSpan.FromMilliseconds(random.Next(2) == 0 ? 0 : random.Next(100));
            _path.BytesPerSecond = random.Next(2) == 0 ? 0 : 1000 + random.Next(100_000);
            _path.Loss = random.Next(5) == 0 ? 1 : 0;
            return $"{_path.Delay.TotalMilliseconds} ms, {_path.Jitter.TotalMilliseconds} ms, {_path.BytesPerSecond} B/s, loss {_path.Loss}";
        }

        public string Enter(int lane, int size)
        {
            var datagram = new byte[size];
            BinaryPrimitives.WriteInt32LittleEndian(datagram, ++_number);
            var begin = Math.Max(Now, _freeAt[lane]);
            if (_path.Loss > 0)
            {
                _lost++;
            }
            else if (_path is { BytesPerSecond: 0, Delay.Ticks: 0, Jitter.Ticks: 0 })
            {
                _expected.Add(_number, (lane, Now, Now));
            }
            else if (begin - Now > TimeSpan.FromMilliseconds(200).Ticks)
            {
                _lost++;
            }
            else
            {
                _freeAt[lane] = begin + (_path.BytesPerSecond == 0 ? 0 : (long)(size / (double)_path.BytesPerSecond * TimeSpan.TicksPerSecond));
                var earliest = _freeAt[lane] + _path.Delay.Ticks;
                _expected.Add(_number, (lane, earliest, earliest + _path.Jitter.Ticks));
            }

            _queue.Enter(_lanes[lane], datagram);
            Compare();
            return $"{_number}: {size} B on {lane}";
        }

        public string Advance(int milliseconds)
        {
            for (var i = 0; i < milliseconds; i++)
            {
                _time.Advance(TimeSpan.FromMilliseconds(1));
                Compare();
            }

            return $"+{milliseconds} ms";
        }

        private void Compare()
        {
            for (var lane = 0; lane < _lanes.Length; lane++)
            {
                foreach (var number in _lanes[lane].Sent)
                {
                    Assert.True(_expected.Remove(number, out var expected), $"{number} left twice, or was lost.");
                    Assert.Equal(expected.Lane, lane);
                    Assert.InRange(Now, expected.Earliest - 1, expected.Latest + (2 * s_late));
                    _passed++;
                }

                _lanes[lane].Sent.Clear();
            }

            Assert.Equal((_passed, _lost), (_path.Passed, _path.Lost));
            Assert.DoesNotContain(_expected, one => one.Value.Latest + (2 * s_late) < Now);
        }
    }
}
