using System.Buffers.Binary;
using System.Numerics;
using Reloaded.Messaging.Wire;

namespace Reloaded.Messaging;

/// <summary>The numbers of the received datagrams, and when they are acknowledged. Not thread-safe.</summary>
/// <remarks>Times are ticks of <see cref="TimeSpan"/>.</remarks>
internal sealed class ReceivedPackets
{
    /// <summary>The maximum number of ranges in an acknowledgement. The newest ranges are sent.</summary>
    public const int MaxRanges = 32;

    /// <summary>The largest size of an acknowledgement, in bytes.</summary>
    public const int MaxAcknowledgement = AcknowledgedRanges.HeaderSize + (2 * UVarint.MaxSize * MaxRanges);

    /// <summary>Every second datagram is acknowledged at once.</summary>
    private const int MaxUnacknowledged = 2;

    /// <summary>The first datagrams are acknowledged at once, because a handshake waits for them.</summary>
    private const int HandshakePackets = 16;

    private readonly ReplayWindow _window = new();
    private long _newestAt;
    private int _unacknowledged;
    private int _eager = HandshakePackets;
    private bool _isDue;

    /// <summary>The time at which the acknowledgement is due; <see cref="long.MaxValue"/> if no datagram waits for one.</summary>
    public long Timer { get; private set; } = long.MaxValue;

    /// <summary>Whether any datagram waits for an acknowledgement.</summary>
    public bool OwesAcknowledgement => _unacknowledged > 0;

    /// <summary>The share of the recent datagrams that did not arrive (0–1); <see langword="null"/> before the first one.</summary>
    public double? MissingShare => _window.GetMissingShare();

    /// <summary>Returns whether an acknowledgement must be sent now, even if it is alone in its datagram.</summary>
    public bool IsDue(long now) => _isDue || now >= Timer;

    /// <summary>Returns whether a number was received already, or is too old to know.</summary>
    public OpenStatus Check(ulong number) => _window.Check(number);

    /// <summary>Returns whether a number is higher than all recorded numbers.</summary>
    public bool IsNewest(ulong number) => !_window.HasAny || number > _window.Newest;

    /// <summary>Records a datagram.</summary>
    /// <param name="number">The number, for which <see cref="Check"/> returned <see cref="OpenStatus.Ok"/>.</param>
    /// <param name="isEliciting">Whether the datagram must be acknowledged.</param>
    /// <param name="now">The current time.</param>
    /// <param name="delay">The time for which the acknowledgement may be delayed.</param>
    public void Note(ulong number, bool isEliciting, long now, long delay)
    {
        var isNext = number == _window.Newest + 1; // of the first number, the answer does not matter: it is acknowledged at once
        if (IsNewest(number))
            _newestAt = now;
        _window.Note(number);
        if (!isEliciting)
            return;
        _unacknowledged++;
        _isDue |= !isNext || _unacknowledged >= MaxUnacknowledged || _eager > 0;
        _eager -= _eager > 0 ? 1 : 0;
        Timer = Math.Min(Timer, now + delay);
    }

    /// <summary>Has the last acknowledgement sent again, because it may not have arrived.</summary>
    public void Repeat()
    {
        if (_window.HasAny)
            (_unacknowledged, _isDue) = (Math.Max(_unacknowledged, 1), true);
    }

    /// <summary>Writes the body of an acknowledgement.</summary>
    /// <returns>The size; 0 if the destination is too small for the newest range.</returns>
    public int Write(Span<byte> destination, long now)
    {
        if (destination.Length < AcknowledgedRanges.HeaderSize + UVarint.MaxSize)
            return 0;
        BinaryPrimitives.WriteUInt64LittleEndian(destination, _window.Newest);
        BinaryPrimitives.WriteUInt32LittleEndian(destination.Slice(sizeof(ulong)), (uint)Math.Min(uint.MaxValue, Math.Max(0, now - _newestAt) / TimeSpan.TicksPerMicrosecond));
        var size = AcknowledgedRanges.HeaderSize;
        var length = CountRun(isSeen: true, _window.Newest);
        size += UVarint.Write(destination.Slice(size), (uint)length);
        var number = _window.Newest - (ulong)length; // the newest missing number, unless all are received
        for (var ranges = 1; ranges < MaxRanges && destination.Length - size >= 2 * UVarint.MaxSize; ranges++)
        {
            var gap = CountRun(isSeen: false, number);
            if (gap == 0)
                break;
            length = CountRun(isSeen: true, number - (ulong)gap);
            number -= (ulong)(gap + length);
            size += UVarint.Write(destination.Slice(size), (uint)gap);
            size += UVarint.Write(destination.Slice(size), (uint)length);
        }

        (_unacknowledged, _isDue, Timer) = (0, false, long.MaxValue);
        return size;
    }

    /// <summary>Counts the numbers from <paramref name="number"/> downwards that were received, or that are missing.</summary>
    /// <returns>The count; 0 for missing numbers if no older number is known to be received.</returns>
    private int CountRun(bool isSeen, ulong number)
    {
        var oldest = _window.Newest < ReplayWindow.Size ? 0 : _window.Newest - ReplayWindow.Size + 1;
        if (number > _window.Newest || number < oldest)
            return 0;
        var most = (int)(number - oldest) + 1;
        for (var count = 0; ;)
        {
            var available = (int)(number % ReplayWindow.WordBits) + 1;
            var bits = _window.WordOf(number) << (ReplayWindow.WordBits - available); // the highest bit is that of the number
            var run = Math.Min(available, BitOperations.LeadingZeroCount(isSeen ? ~bits : bits));
            count += run;
            if (count >= most)
                return isSeen ? most : 0;
            if (run < available)
                return count;
            number -= (ulong)run;
        }
    }
}
