using System.Buffers.Binary;
using Reloaded.Messaging.Wire;

namespace Reloaded.Messaging;

/// <summary>The ordered channels of a connection, in both directions. The frames of a channel arrive in order, and do not wait for another channel. Not thread-safe.</summary>
/// <remarks>A datagram contains data of one channel. The channels that have data take turns, so a large message of one channel delays another channel by a few datagrams.</remarks>
internal sealed class OrderedChannels
{
    /// <summary>The number of channels.</summary>
    public const int Count = 16;

    /// <summary>The room of each channel except channel 0 before the receiver announces more (bytes).</summary>
    public const int InitialRoom = 16 * 1024;

    /// <summary>The bytes by which the rooms of all channels except channel 0 may grow, together.</summary>
    public const int MaxGrowth = 4 << 20;

    private const int HelloBarriers = 2;

    private readonly int _segmentSize;
    private readonly RoomBudget _growth = new();
    private OrderedSender?[] _senders; // one element, or one for each channel
    private OrderedReceiver?[] _receivers = [new OrderedReceiver(OrderedSender.InitialRoom, growth: null)];
    private int _lastSent;
    private int _owedRooms; // a bit for each channel
    private int _barriers;
    private ulong _barrierEnd; // in channel 0

    /// <param name="segmentSize">The largest size of a segment, in bytes.</param>
    public OrderedChannels(int segmentSize)
    {
        _segmentSize = segmentSize;
        _senders = [new OrderedSender(segmentSize, OrderedSender.InitialRoom)];
    }

    /// <summary>The bytes that were never sent.</summary>
    public int UnsentBytes
    {
        get
        {
            var sum = 0;
            foreach (var sender in _senders)
                sum += sender?.UnsentBytes ?? 0;
            return sum;
        }
    }

    /// <summary>The memory that the other side makes this side hold, in bytes.</summary>
    public int HeldBytes
    {
        get
        {
            var sum = 0;
            foreach (var sender in _senders)
                sum += sender?.HeldBytes ?? 0;
            foreach (var receiver in _receivers)
                sum += receiver?.RentedBytes ?? 0;
            return sum;
        }
    }

    /// <summary>The number of frames whose arrival was not confirmed. Frames of a barrier do not count.</summary>
    public int UnconfirmedFrames
    {
        get
        {
            var sum = 0;
            foreach (var sender in _senders)
                sum += sender?.UnconfirmedFrames ?? 0;
            return sum;
        }
    }

    /// <summary>Whether the barrier that was appended last was acknowledged.</summary>
    /// <remarks>Later data of any channel does not count: a program that sends all the time would never let the barrier end.</remarks>
    public bool HasBarrierArrived => _senders[0]!.Start >= _barrierEnd;

    /// <summary>Whether bytes of any channel can be sent now.</summary>
    public bool CanSend => FindSender() >= 0;

    /// <summary>Whether any bytes wait for the room of the receiver.</summary>
    public bool IsBlocked
    {
        get
        {
            foreach (var sender in _senders)
            {
                if (sender is { UnsentBytes: > 0, CanSend: false })
                    return true;
            }

            return false;
        }
    }

    /// <summary>Whether a larger room should be announced.</summary>
    public bool HasNewRoom => FindNewRooms() != 0;

    /// <summary>Whether everything of all channels except channel 0 was acknowledged.</summary>
    public bool HaveOthersArrived
    {
        get
        {
            for (var channel = 1; channel < _senders.Length; channel++)
            {
                if (_senders[channel] is { HasAllArrived: false })
                    return false;
            }

            return true;
        }
    }

    /// <summary>Whether only channel 0 may be sent, because a barrier has not arrived.</summary>
    public bool IsHeld => !HasBarrierArrived;

    /// <summary>Returns the bytes of a channel that were never sent.</summary>
    public int GetUnsentBytes(int channel) => channel < _senders.Length ? _senders[channel]?.UnsentBytes ?? 0 : 0;

    /// <summary>Returns the offset after the last appended byte of each channel.</summary>
    public ulong[] GetEnds() => Array.ConvertAll(_senders, static sender => sender?.End ?? 0);

    /// <summary>Returns whether the bytes before offsets of <see cref="GetEnds"/> were sent.</summary>
    public bool HaveSent(ulong[] ends)
    {
        for (var channel = 0; channel < ends.Length; channel++)
        {
            if (_senders[channel] is { } sender && sender.Unsent < ends[channel])
                return false;
        }

        return true;
    }

    /// <summary>Appends a message with its length.</summary>
    /// <param name="channel">The channel.</param>
    /// <param name="message">The message.</param>
    /// <param name="isBarrier">Whether other channels wait until the message has arrived, and it is not counted as unconfirmed. Only in channel 0.</param>
    public void Append(int channel, ReadOnlySpan<byte> message, bool isBarrier)
    {
        if (channel >= _senders.Length)
            Array.Resize(ref _senders, Count);
        var sender = _senders[channel] ??= new OrderedSender(_segmentSize, InitialRoom);
        Span<byte> prefix = stackalloc byte[UVarint.MaxSize];
        sender.Append(prefix.Slice(0, UVarint.Write(prefix, (uint)message.Length)), ended: 0);
        sender.Append(message, ended: isBarrier ? 0 : 1);
        if (!isBarrier)
            return;
        _barrierEnd = sender.End;
        if (++_barriers == HelloBarriers)
            _growth.Left = MaxGrowth; // this side has confirmed the handshake, and gives the other side more memory
    }

    /// <summary>Adds data of the next channel to a datagram that has room for it.</summary>
    public void AddData(ref DatagramWriter datagram, ref SentPacket packet, ulong number)
    {
        var channel = FindSender();
        if (channel < 0 || datagram.Room <= DatagramFormat.DataHeader)
            return;
        var sender = _senders[channel]!;
        var size = sender.Take(datagram.Room - DatagramFormat.DataHeader, number, out packet.FirstSegment, out packet.Segments, out var offset);
        if (size == 0)
            return;
        packet.Channel = (byte)channel;
        _lastSent = channel;
        var body = datagram.Add(DatagramPart.Data, DatagramFormat.DataHeader + size);
        body[0] = (byte)channel;
        BinaryPrimitives.WriteUInt64LittleEndian(body.Slice(1), offset);
        sender.Read(offset, body.Slice(DatagramFormat.DataHeader));
    }

    /// <summary>Adds the new rooms of all channels to a datagram, and the rooms of lost datagrams, if there are any.</summary>
    public void AddRooms(ref DatagramWriter datagram, ref SentPacket packet)
    {
        packet.Rooms = (ushort)FindNewRooms();
        if (packet.Rooms == 0)
            return;
        _owedRooms = 0;
        for (var channel = 0; channel < _receivers.Length; channel++)
        {
            if ((packet.Rooms >> channel & 1) == 0)
                continue;
            var room = datagram.Add(DatagramPart.Room, DatagramFormat.RoomSize);
            room[0] = (byte)channel;
            BinaryPrimitives.WriteUInt64LittleEndian(room.Slice(1), _receivers[channel]!.Announce());
        }
    }

    /// <summary>Frees the data of a datagram that has arrived.</summary>
    public void NoteAcknowledged(in SentPacket packet)
    {
        if (packet.Segments > 0)
            _senders[packet.Channel]!.NoteAcknowledged(packet.FirstSegment, packet.Segments);
    }

    /// <summary>Sends the data and the rooms of a lost datagram again.</summary>
    public void NoteLost(in SentPacket packet, ulong number)
    {
        _owedRooms |= packet.Rooms;
        if (packet.Segments > 0)
            _senders[packet.Channel]!.NoteLost(packet.FirstSegment, packet.Segments, number);
    }

    /// <summary>Marks the oldest segment of a channel as lost, because no acknowledgement arrives.</summary>
    /// <returns><see langword="false"/> if no segment is on its way.</returns>
    public bool TryRepeatOldest()
    {
        foreach (var sender in _senders)
        {
            if (sender is not null && sender.TryRepeatOldest())
                return true;
        }

        return false;
    }

    /// <summary>Raises the limit up to which the receiver has room.</summary>
    public void NoteRoom(int channel, ulong limit)
    {
        if (channel < _senders.Length)
            _senders[channel]?.NoteRoom(limit);
    }

    /// <summary>Adds received bytes.</summary>
    /// <param name="channel">The channel, below <see cref="Count"/>.</param>
    /// <param name="offset">The offset of the first byte.</param>
    /// <param name="bytes">The bytes. They are copied.</param>
    /// <param name="added">Receives the number of bytes that can be read in addition, or that end a frame that is read in parts.</param>
    /// <returns><see langword="false"/> if the bytes must not be acknowledged.</returns>
    public bool TryAdd(int channel, ulong offset, ReadOnlySpan<byte> bytes, out ulong added)
    {
        if (channel >= _receivers.Length)
            Array.Resize(ref _receivers, Count);
        var receiver = _receivers[channel] ??= new OrderedReceiver(InitialRoom, _growth);
        var end = receiver.End;
        var isAdded = receiver.TryAdd(offset, bytes);
        added = receiver.End - end;
        return isAdded;
    }

    /// <summary>Returns the bytes of a channel that can be read.</summary>
    public int GetReadable(int channel) => _receivers[channel]!.Readable;

    /// <summary>Reads bytes of a channel.</summary>
    /// <returns>The number of bytes.</returns>
    public int Read(int channel, Span<byte> destination) => _receivers[channel]!.Read(destination);

    /// <summary>Zeroes and returns the memory.</summary>
    /// <param name="keepsReceived">Whether the received frames can still be read.</param>
    public void Clear(bool keepsReceived)
    {
        foreach (var sender in _senders)
            sender?.Clear();
        if (keepsReceived)
            return;
        foreach (var receiver in _receivers)
            receiver?.Clear();
    }

    /// <summary>Finds the channel whose turn it is.</summary>
    /// <returns>The channel; negative if none can send.</returns>
    private int FindSender()
    {
        if (IsHeld)
            return _senders[0]!.CanSend ? 0 : -1;
        for (var i = 1; i <= _senders.Length; i++)
        {
            var channel = (_lastSent + i) % _senders.Length;
            if (_senders[channel] is { CanSend: true })
                return channel;
        }

        return -1;
    }

    /// <summary>Finds the channels whose room should be announced, or announced again.</summary>
    private int FindNewRooms()
    {
        var found = _owedRooms;
        for (var channel = 0; channel < _receivers.Length; channel++)
        {
            if (_receivers[channel] is { HasNewRoom: true })
                found |= 1 << channel;
        }

        return found;
    }
}

/// <summary>The bytes by which the rooms of several channels may still grow.</summary>
internal sealed class RoomBudget
{
    public int Left { get; set; }
}
