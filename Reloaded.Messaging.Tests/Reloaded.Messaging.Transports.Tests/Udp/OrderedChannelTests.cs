using System.Linq;
using Reloaded.Messaging.Wire;
using Xunit;

namespace Reloaded.Messaging.Tests.Udp;

/// <summary>The ordered channels of a connection, in virtual time.</summary>
public sealed class OrderedChannelTests
{
    private const int LargeSize = 1 << 20;

    private readonly List<byte[]> _frames = [];
    private readonly byte[] _buffer = new byte[64 * 1024];
    private readonly List<byte> _unread = [];

    [Theory]
    [InlineData(125_000, 20_000)] // 1 Mbit/s
    [InlineData(32_000, 200_000)] // 256 kbit/s with a deep queue
    public void Request_beside_large_messages_waits_at_most_one_and_a_half_round_trips_of_the_loaded_path(int rate, int queue)
    {
        var path = new EmulatedPath(1, new PathOptions { Rate = rate, Queue = queue });
        OpenGrowth(path);
        var large = new Appender(path.Client, channel: 1);
        var (sentAt, waits, worst, loaded) = (TimeSpan.Zero, false, TimeSpan.Zero, TimeSpan.Zero);
        path.ActAt = TimeSpan.FromSeconds(5);
        path.Act = () =>
        {
            large.Append(LargeSize);
            if (!waits && path.Now >= path.ActAt)
            {
                (sentAt, waits, loaded, path.ActAt) = (path.Now, true, path.Client.Path.RoundTripTime, TimeSpan.MaxValue);
                path.Client.AppendFrames([1, 7]);
            }

            foreach (var frame in Read(path.Server))
            {
                if (frame.Length == 1)
                    path.Server.AppendFrames([1, 8]);
            }

            if (path.Client.Read(_buffer) == 0)
                return;
            worst = TimeSpan.FromTicks(Math.Max(worst.Ticks, (path.Now - sentAt).Ticks * 100 / loaded.Ticks)); // hundredths of a round trip
            (waits, path.ActAt) = (false, path.Now + TimeSpan.FromMilliseconds(700));
        };

        path.Run(TimeSpan.FromSeconds(90));

        TestContext.Current.TestOutputHelper?.WriteLine($"{worst.Ticks / 100.0:0.00} round trips of {loaded.TotalMilliseconds:0} ms, {_frames.Count} frames");
        Assert.InRange(worst.Ticks, 1, 150);
        Assert.Contains(_frames, static frame => frame.Length == LargeSize);
    }

    [Fact]
    public void Segment_that_crosses_the_limit_of_the_receiver_is_sent_up_to_the_limit()
    {
        var sender = new OrderedSender(segmentSize: 1000, room: 2500);
        byte[] frame = [0xFE, 0x0F, .. new byte[2046]];
        sender.Append(frame, ended: 1);
        sender.Append(frame, ended: 1);

        var sizes = new List<int>();
        while (sender.CanSend)
            sizes.Add(sender.Take(1000, packet: 1, out _, out _, out _));
        sender.NoteRoom(10_000);
        while (sender.CanSend)
            sizes.Add(sender.Take(1000, packet: 2, out _, out _, out _));

        Assert.Equal([1000, 1000, 500, 500, 1000, 96], sizes);
        sender.NoteAcknowledged(0, 6);
        Assert.True(sender.HasAllArrived);
        Assert.Equal(0, sender.UnconfirmedFrames);
    }

    [Fact]
    public void Lost_frame_of_one_channel_does_not_hold_back_another_channel()
    {
        var path = new EmulatedPath(1) { IsLost = static (isClient, count) => isClient && count == 0 };
        path.Client.AppendFrames([1, 1], channel: 1);
        path.Run(TimeSpan.FromMilliseconds(1));
        path.Client.AppendFrames([1, 2], channel: 2);
        path.Client.AppendFrames([1, 3], channel: 1);

        path.Run(TimeSpan.FromMilliseconds(30));
        Assert.Equal([2], ReadBytes(path.Server));
        path.Run(TimeSpan.FromSeconds(2));
        Assert.Equal([1, 3], ReadBytes(path.Server));
    }

    [Fact]
    public void Last_message_follows_all_others_although_they_are_lost()
    {
        var path = new EmulatedPath(1) { IsLost = static (isClient, count) => isClient && count == 0 };
        path.Client.AppendFrames([1, 1], channel: 3);

        path.Client.AddFrames([1, 2], stream: -1);
        path.Client.Seal([9]);

        Assert.True(path.RunUntil(() => path.SentByClient > 0, TimeSpan.FromSeconds(1)));
        Assert.Equal(1, path.Client.PendingBytes); // the last message
        path.Run(TimeSpan.FromSeconds(5));
        Assert.Equal([1, 9], ReadBytes(path.Server));
        Assert.Equal((0, true), (path.Client.PendingBytes, path.Client.HasLastArrived));
    }

    [Fact]
    public void Other_channels_wait_until_a_barrier_has_arrived()
    {
        var path = new EmulatedPath(1);
        path.Client.AppendFrames([1, 9], isBarrier: true);
        path.Client.AppendFrames([1, 1], channel: 3);
        path.Client.AddFrames([1, 2], stream: -1);
        path.Client.AppendFrames([1, 8]);

        Assert.True(path.RunUntil(() => path.SentByClient > 0, TimeSpan.FromSeconds(1)));
        Assert.Equal(4, path.Client.PendingBytes); // channel 0 continues
        path.Run(TimeSpan.FromSeconds(1));

        var read = ReadBytes(path.Server);
        Assert.Equal([9, 8], read[..2]);
        Assert.Equal(new byte[] { 1, 2 }, read.Skip(2).Order());
    }

    [Fact]
    public void Last_message_arrives_although_many_others_are_lost()
    {
        var path = new EmulatedPath(1, new PathOptions { Loss = 0.2 });
        for (var i = 0; i < 1000; i++)
            path.Client.AppendFrames([1, 1], channel: i % 4);
        path.Client.Seal([9]);
        path.Act = () => Read(path.Server);

        Assert.True(path.RunUntil(() => path.Client.HasLastArrived, TimeSpan.FromMinutes(1)));
        Assert.Equal((1001, 9), (_frames.Count, _frames[^1][0]));
    }

    [Theory]
    [InlineData(1, 0)]
    [InlineData(10, 0)]
    [InlineData(40, 0)]
    [InlineData(10, 0.1)]
    public void Other_channels_are_sent_although_channel_0_sends_all_the_time_since_a_barrier(int interval, double loss)
    {
        var path = new EmulatedPath(1, new PathOptions { Loss = loss });
        path.Client.AppendFrames([1, 9], isBarrier: true);
        path.ActAt = TimeSpan.Zero;
        path.Act = () =>
        {
            for (; path.Now >= path.ActAt; path.ActAt += TimeSpan.FromMilliseconds(interval))
                path.Client.AppendFrames([1, 1]);
            Read(path.Server);
        };
        path.Run(TimeSpan.FromSeconds(1));

        path.Client.AppendFrames([1, 3], channel: 3);
        Assert.True(path.RunUntil(() => _frames.Exists(static frame => frame[0] == 3), TimeSpan.FromSeconds(2)));
    }

    [Theory]
    [InlineData(1)]
    [InlineData(2)]
    [InlineData(3)]
    public void Channels_deliver_every_frame_in_the_order_of_its_channel(int seed)
    {
        const int Count = 300;
        var path = new EmulatedPath(seed, new PathOptions { Loss = 0.1, Jitter = TimeSpan.FromMilliseconds(20), Duplication = 0.05 });
        OpenGrowth(path);
        var random = new Random(seed);
        var senders = new Appender[OrderedChannels.Count];
        var received = new int[OrderedChannels.Count];
        for (var channel = 0; channel < senders.Length; channel++)
            senders[channel] = new Appender(path.Client, channel);
        path.Act = () =>
        {
            foreach (var sender in senders)
                sender.Append(random.Next(20) == 0 ? 40_000 : 5 + random.Next(500), Count);
            if (random.Next(10) == 0)
                path.Client.AddFrames([3, 255, 0, 0], stream: -1);
            foreach (var frame in Read(path.Server))
            {
                if (frame[0] < OrderedChannels.Count)
                    Assert.Equal(received[frame[0]]++, BitConverter.ToInt32(frame, 1));
            }
        };

        Assert.True(path.RunUntil(() => Array.TrueForAll(received, static count => count == Count) && path.Client.UnconfirmedFrames == 0, TimeSpan.FromMinutes(10)), string.Join(' ', received));
    }

    [Fact]
    public void Rooms_of_an_unconfirmed_handshake_do_not_grow_for_large_frames()
    {
        var path = new EmulatedPath(1);
        var large = new Appender(path.Client, channel: 1);
        path.Act = () => large.Append(LargeSize, count: 1);
        path.Run(TimeSpan.FromSeconds(20));
        Assert.InRange(path.SentByClient, 5, 60); // the first room, and the probes

        path.Act = () =>
        {
            large.Append(LargeSize, count: 1);
            Read(path.Server);
        };
        Assert.True(path.RunUntil(() => _frames.Count == 1, TimeSpan.FromMinutes(5))); // it is read in parts
    }

    [Fact]
    public void Held_bytes_are_the_memory_of_each_part_of_a_connection()
    {
        const int Fragments = 8;
        const int Turns = 200;
        var path = new EmulatedPath(1, udp: new UdpOptions { MaxFragments = Fragments });
        var empty = path.Server.HeldBytes;

        path.Client.AppendFrames(FrameOf(10_000));
        path.Run(TimeSpan.FromMilliseconds(1));
        Assert.InRange(path.Client.HeldBytes, empty + 10_000, empty + 15_000); // the sent bytes and their records
        path.Run(TimeSpan.FromSeconds(1));
        Assert.InRange(path.Server.HeldBytes, empty + 10_000, empty + 15_000);
        Assert.InRange(path.Client.HeldBytes, empty, empty + 3_000);
        Assert.Single(Read(path.Server));
        Assert.InRange(path.Server.HeldBytes, empty, empty + 3_000);
        var records = path.Server.HeldBytes;

        path.Client.AddFrames(FrameOf(1000), stream: -1);
        path.Run(TimeSpan.FromSeconds(1));
        Assert.Equal(records + ByteRing.SegmentSize, path.Server.HeldBytes);
        Assert.Single(Read(path.Server));
        Assert.Equal(records, path.Server.HeldBytes);

        for (var i = 0; i < Turns; i++)
        {
            path.Client.AppendFrames([1, 1]);
            path.Client.AddFrames([1, 2], stream: -1);
            path.Run(TimeSpan.FromMilliseconds(100));
        }

        Assert.True(path.Server.HeldBytes >= records + (Turns * 2 * 8), $"{path.Server.HeldBytes} bytes are held.");
        Assert.Equal(2 * Turns, Read(path.Server).Count);
        Assert.Equal(records, path.Server.HeldBytes);

        path.Client.AddFrames(FrameOf(5000), stream: -1);
        var sent = path.SentByClient;
        path.IsLost = (isClient, count) => isClient && count == sent + 2;
        path.Run(TimeSpan.FromMilliseconds(200));
        Assert.InRange(path.Server.HeldBytes, records + 3000, records + 5000);
        path.Run(TimeSpan.FromSeconds(3));
        Assert.Equal(records, path.Server.HeldBytes);
    }

    /// <summary>Makes a frame with its length.</summary>
    private static byte[] FrameOf(int size)
    {
        var frame = new byte[UVarint.SizeOf((uint)size) + size];
        UVarint.Write(frame, (uint)size);
        return frame;
    }

    /// <summary>Lets the server confirm a handshake.</summary>
    private static void OpenGrowth(EmulatedPath path)
    {
        for (var i = 0; i < 2; i++)
            path.Server.AppendFrames([1, 1], isBarrier: true);
        path.Run(TimeSpan.FromSeconds(1));
        path.Client.Read(new byte[4]);
    }

    private byte[] ReadBytes(DatagramConnection side) => [.. Read(side).ConvertAll(static frame => frame[0])];

    private List<byte[]> Read(DatagramConnection side)
    {
        var begin = _frames.Count;
        while (side.Read(_buffer) is > 0 and var size)
        {
            _unread.AddRange(_buffer.AsSpan(0, size));
            while (TryCut() is { } frame)
                _frames.Add(frame);
        }

        return _frames.GetRange(begin, _frames.Count - begin);
    }

    private byte[]? TryCut()
    {
        var (length, prefix) = (0, 0);
        do
        {
            if (prefix == _unread.Count)
                return null;
            length |= (_unread[prefix] & 0x7F) << (7 * prefix);
        }
        while ((_unread[prefix++] & 0x80) != 0);
        if (_unread.Count < prefix + length)
            return null;
        byte[] frame = [.. _unread.GetRange(prefix, length)];
        _unread.RemoveRange(0, prefix + length);
        return frame;
    }

    /// <summary>Appends numbered frames to one channel, while the connection wants more.</summary>
    private sealed class Appender(DatagramConnection side, int channel)
    {
        private int _number;

        public void Append(int size, int count = int.MaxValue)
        {
            while (side.WantsMore(channel))
            {
                if (_number == count)
                    return;
                side.AppendFrames(Make(size), channel: channel);
            }
        }

        private byte[] Make(int size)
        {
            var bytes = new List<byte>();
            for (var rest = size; ; rest >>= 7)
            {
                bytes.Add((byte)(rest > 0x7F ? rest | 0x80 : rest));
                if (rest <= 0x7F)
                    break;
            }

            var frame = new byte[bytes.Count + size];
            bytes.CopyTo(frame);
            frame[bytes.Count] = (byte)channel;
            BitConverter.TryWriteBytes(frame.AsSpan(bytes.Count + 1), _number++);
            return frame;
        }
    }
}
