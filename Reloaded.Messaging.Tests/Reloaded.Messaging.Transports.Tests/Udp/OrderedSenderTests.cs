using System.Linq;
using System.Runtime.CompilerServices;
using Xunit;

namespace Reloaded.Messaging.Tests.Udp;

/// <summary>The sender of one channel, compared with a list of the state of each byte.</summary>
public sealed class OrderedSenderTests
{
    private const int SegmentSize = 40;
    private const int FrameSize = 16; // with its length

    private readonly List<Sent> _packets = [];
    private readonly List<(ByteState State, ulong Packet)> _bytes = [];
    private readonly byte[] _buffer = new byte[1000];
    private OrderedSender _sender = new(SegmentSize, room: 200);
    private ulong _limit = 200;
    private ulong _packet;

    private enum ByteState
    {
        Unsent,
        Sent,
        Lost,
        Acknowledged,
    }

    [Fact]
    public void Loss_after_a_late_acknowledgement_of_the_oldest_lost_segment_sends_every_lost_segment()
    {
        AppendFrames(50);
        for (var i = 0; i < 4; i++)
            Take(SegmentSize);
        Lose(_packets[0]);
        Lose(_packets[1]);

        Acknowledge(_packets[0]); // late
        Lose(_packets[3]);
        Take(SegmentSize);
        Take(SegmentSize);

        Assert.False(_bytes.Exists(static one => one.State == ByteState.Lost));
        Finish();
    }

    [Fact]
    public void Room_that_is_made_byte_by_byte_is_not_sent_while_another_segment_is_on_its_way()
    {
        AppendFrames(50);
        for (var i = 0; i < 5; i++)
            Take(SegmentSize);
        Assert.False(_sender.CanSend);

        for (; _limit < 219; _sender.NoteRoom(++_limit))
            Assert.False(_sender.CanSend);
        _sender.NoteRoom(++_limit);
        Take(SegmentSize);
        Assert.Equal(SegmentSize / 2, _packets[^1].Size);

        _sender.NoteRoom(++_limit);
        Assert.False(_sender.CanSend);
        _packets.ForEach(Acknowledge);
        Take(SegmentSize);
        Assert.Equal(1, _packets[^1].Size);
    }

    [Theory]
    [InlineData(1, 0u)]
    [InlineData(2, uint.MaxValue - 30)]
    [InlineData(3, uint.MaxValue)]
    [InlineData(4, int.MaxValue - 30u)]
    public void Each_byte_is_sent_until_it_is_acknowledged(int seed, uint firstSegment)
    {
        const int Worlds = 300;
        const int Steps = 150;
        var random = new Random(seed);
        for (var world = 0; world < Worlds; world++)
        {
            _sender = new OrderedSender(SegmentSize, room: 200);
            (First(_sender), Unsent(_sender), Next(_sender), OldestLost(_sender)) = (firstSegment, firstSegment, firstSegment, firstSegment);
            _packets.Clear();
            _bytes.Clear();
            (_limit, _packet) = (200, 0);
            for (var step = 0; step < Steps; step++)
                Step(random);
            Finish();
        }
    }

    [UnsafeAccessor(UnsafeAccessorKind.Field, Name = "_first")]
    private static extern ref uint First(OrderedSender sender);

    [UnsafeAccessor(UnsafeAccessorKind.Field, Name = "_unsent")]
    private static extern ref uint Unsent(OrderedSender sender);

    [UnsafeAccessor(UnsafeAccessorKind.Field, Name = "_next")]
    private static extern ref uint Next(OrderedSender sender);

    [UnsafeAccessor(UnsafeAccessorKind.Field, Name = "_oldestLost")]
    private static extern ref uint OldestLost(OrderedSender sender);

    private static byte ByteAt(int offset) => offset % FrameSize == 0 ? (byte)(FrameSize - 1) : (byte)(offset * 7);

    private void Step(Random random)
    {
        switch (random.Next(10))
        {
            case 0:
                AppendFrames(random.Next(1, 6));
                break;
            case 1:
                _sender.NoteRoom(_limit += (ulong)random.Next(400));
                break;
            case < 5:
                Take(random.Next(SegmentSize / 2, 4 * SegmentSize));
                break;
            case 5:
                Repeat();
                break;
            case < 8 when _packets.Count > 0:
                Lose(_packets[^random.Next(1, Math.Min(_packets.Count, 12) + 1)]); // also again, or after it was acknowledged
                break;
            case >= 8 when _packets.Count > 0:
                Acknowledge(_packets[^random.Next(1, Math.Min(_packets.Count, 12) + 1)]); // also late, or again
                break;
        }

        var acknowledged = _bytes.FindIndex(static one => one.State != ByteState.Acknowledged);
        Assert.Equal(acknowledged < 0 ? _bytes.Count : acknowledged, (int)_sender.Start);
        Assert.Equal(_bytes.Count, (int)_sender.End);
        Assert.Equal(_bytes.Count(static one => one.State == ByteState.Unsent), _sender.UnsentBytes);
        var unsent = _bytes.FindIndex(static one => one.State == ByteState.Unsent);
        Assert.True(_sender.CanSend || unsent < 0 || (ulong)unsent >= _limit || acknowledged < unsent);
        Assert.True(_sender.CanSend || !_bytes.Exists(static one => one.State == ByteState.Lost));
    }

    private void AppendFrames(int count)
    {
        var frames = Enumerable.Range(_bytes.Count, count * FrameSize).Select(ByteAt).ToArray();
        _sender.Append(frames, ended: count);
        _bytes.AddRange(frames.Select(static _ => (ByteState.Unsent, 0ul)));
    }

    private void Take(int size)
    {
        var isLost = _bytes.Exists(static one => one.State == ByteState.Lost);
        var wanted = isLost ? ByteState.Lost : ByteState.Unsent;
        var taken = _sender.Take(size, _packet, out var first, out var count, out var offset);
        if (taken == 0)
        {
            Assert.True(!isLost || size < SegmentSize);
            return;
        }

        Assert.Equal(_bytes.FindIndex(one => one.State == wanted), (int)offset);
        Assert.InRange(taken, 1, size);
        Assert.True(offset + (ulong)taken <= _limit);
        _sender.Read(offset, _buffer.AsSpan(0, taken));
        for (var i = 0; i < taken; i++)
        {
            Assert.Equal(ByteAt((int)offset + i), _buffer[i]);
            Assert.Equal(wanted, _bytes[(int)offset + i].State);
            _bytes[(int)offset + i] = (ByteState.Sent, _packet);
        }

        _packets.Add(new Sent(_packet++, first, count, (int)offset, taken));
    }

    private void Acknowledge(Sent packet)
    {
        _sender.NoteAcknowledged(packet.First, packet.Count);
        for (var i = packet.Offset; i < packet.Offset + packet.Size; i++)
            _bytes[i] = (ByteState.Acknowledged, 0);
    }

    private void Lose(Sent packet)
    {
        _sender.NoteLost(packet.First, packet.Count, packet.Number);
        for (var i = packet.Offset; i < packet.Offset + packet.Size; i++)
        {
            if (_bytes[i] == (ByteState.Sent, packet.Number))
                _bytes[i] = (ByteState.Lost, 0);
        }
    }

    /// <summary>Repeats the oldest segment. Its size is seen when it is sent.</summary>
    private void Repeat()
    {
        if (_bytes.Exists(static one => one.State == ByteState.Lost))
            return;
        var oldest = _bytes.FindIndex(static one => one.State == ByteState.Sent);
        Assert.Equal(oldest >= 0, _sender.TryRepeatOldest());
        if (oldest < 0)
            return;
        var taken = _sender.Take(SegmentSize, _packet, out var first, out var count, out var offset);
        Assert.Equal((oldest, 1), ((int)offset, count));
        for (var i = oldest; i < oldest + taken; i++)
        {
            Assert.Equal(ByteState.Sent, _bytes[i].State);
            _bytes[i] = (ByteState.Sent, _packet);
        }

        _packets.Add(new Sent(_packet++, first, count, oldest, taken));
    }

    /// <summary>Lets every datagram arrive from now on: nothing may stay.</summary>
    private void Finish()
    {
        _sender.NoteRoom(_limit = 1 << 20);
        foreach (var packet in _packets)
            Lose(packet);
        for (var before = -1; before != _packets.Count;)
        {
            before = _packets.Count;
            Take(10 * SegmentSize);
            Acknowledge(_packets.Count > 0 ? _packets[^1] : default);
        }

        Assert.True(_sender.HasAllArrived);
        Assert.Equal((0, 0, 0), (_sender.UnconfirmedFrames, _sender.HeldBytes, _sender.UnsentBytes));
    }

    private readonly record struct Sent(ulong Number, uint First, int Count, int Offset, int Size);
}
