using System.Threading;
using System.Threading.Tasks;

namespace Reloaded.Messaging.Hosting;

/// <content>The outboxes of the streams of <see cref="DeliveryMode.ReliableByType"/>, which wait neither for this outbox nor for each other.</content>
internal sealed partial class Outbox
{
    private Outbox?[]? _lanes; // by stream
    private Task? _handshake; // completes when the last message of the handshake has arrived
    private Task? _before; // in a lane: the handshake, if the lane was created before its end

    private int PendingBytesOfLanes
    {
        get
        {
            var pending = 0;
            foreach (var lane in Lanes)
                pending += lane?.PendingBytes ?? 0;
            return pending;
        }
    }

    /// <summary>The number of bytes that the channel has accepted.</summary>
    public long SentBytes
    {
        get
        {
            var sent = Volatile.Read(ref _sentBytes);
            foreach (var lane in Lanes)
                sent += lane?.SentBytes ?? 0;
            return sent;
        }
    }

    /// <summary>The bytes of this outbox that count towards the total.</summary>
    public int ChargedBytes
    {
        get
        {
            var charged = _queue.Charged;
            foreach (var lane in Lanes)
                charged += lane?._queue.Charged ?? 0;
            return charged;
        }
    }

    /// <summary>Completes at once if the outbox would accept a message now or is closed; otherwise, completes when it may accept the message.</summary>
    /// <param name="messageLength">The size of the message, in bytes.</param>
    /// <remarks>Where the outbox has lanes, any lane without room may be the one that refused the message, so the wait ends as soon as one of them has room.</remarks>
    public Task WaitForRoomAsync(int messageLength)
    {
        var room = WaitForOwnRoomAsync(messageLength);
        foreach (var lane in Lanes)
        {
            if (lane?.WaitForOwnRoomAsync(messageLength) is { IsCompleted: false } other)
                room = room.IsCompleted ? other : Task.WhenAny(room, other);
        }

        return room;
    }

    private Task WaitForOwnRoomAsync(int messageLength)
    {
        using (_gate.Enter())
        {
            if (_stage != Stage.Open)
                return Task.CompletedTask;
            var isFull = Exceeds(messageLength, MaxPending);
            var charge = isFull ? 0 : _queue.Pending.ChargeFor(messageLength);
            var total = charge > 0 ? _total!.WaitForRoomAsync(charge) : Task.CompletedTask;
            if (!isFull && total.IsCompleted)
                return total;
            var room = _room.WaitAsync();
            return isFull ? room : Task.WhenAny(total, room); // the next write of this outbox also makes room
        }
    }

    private Outbox?[] Lanes => Volatile.Read(ref _lanes) ?? [];

    /// <summary>Returns the outbox of a stream, whose messages wait for no other messages.</summary>
    /// <returns>The outbox, or <c>null</c> if this outbox accepts no message.</returns>
    private Outbox? FindLane(byte stream)
    {
        if (Lanes is { Length: > 0 } known && Volatile.Read(ref known[stream]) is { } lane)
            return lane;
        var created = new Outbox(_channel, MaxPending, _failed, _stopping, _total); // before the lock, because the channel may be code of the program
        Outbox? found = null;
        using (_gate.Enter())
        {
            if (_stage == Stage.Open)
            {
                var lanes = _lanes ?? new Outbox?[EventDeliveries.ReliableStreams];
                created._before = _handshake is { IsCompleted: true } ? null : _handshake;
                found = lanes[stream] ?? created;
                Volatile.Write(ref lanes[stream], found);
                Volatile.Write(ref _lanes, lanes);
            }
        }

        if (found != created)
            created.Close();
        return found;
    }

    private Task FlushLanesAsync()
    {
        var written = Task.CompletedTask;
        foreach (var lane in Lanes)
            written = lane is null ? written : Task.WhenAll(written, lane.FlushAsync());
        return written;
    }

    private void SealLanes()
    {
        foreach (var lane in Lanes)
            lane?.TrySeal(default);
    }

    private void CloseLanes()
    {
        foreach (var lane in Lanes)
            lane?.Close();
    }
}
