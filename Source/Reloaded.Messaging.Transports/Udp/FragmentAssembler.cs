using System.Buffers;
using System.Buffers.Binary;

namespace Reloaded.Messaging;

/// <summary>Reassembles divided messages: at most four at a time, for one second each, with at most the permitted number of fragments. Not thread-safe.</summary>
/// <remarks>The caller passes the time, as the time since any moment, because a clock of the program is not read under the lock of the caller.</remarks>
internal sealed class FragmentAssembler(UdpOptions options, DatagramCounters counts)
{
    public const int HeaderSize = sizeof(uint) + 2;
    public const int MaxPending = 4;

    private static readonly TimeSpan s_patience = TimeSpan.FromSeconds(1);

    private readonly Pending?[] _pending = new Pending?[MaxPending];

    /// <summary>The bytes of incomplete messages.</summary>
    public int HeldBytes
    {
        get
        {
            var sum = 0;
            foreach (var pending in _pending)
                sum += pending?.Size ?? 0;
            return sum;
        }
    }

    /// <summary>Adds a fragment.</summary>
    /// <param name="fragment">The header and the bytes of the fragment.</param>
    /// <param name="now">The current time.</param>
    /// <param name="frame">Receives the complete frame, if this was its last fragment. The array is rented, and the caller returns it.</param>
    /// <returns>The size of the complete frame; 0 if fragments are missing; negative if the fragment was refused.</returns>
    public int TryTake(ReadOnlySpan<byte> fragment, TimeSpan now, out byte[]? frame)
    {
        frame = null;
        if (fragment.Length <= HeaderSize)
            return -1;
        var (message, index, count) = (BinaryPrimitives.ReadUInt32LittleEndian(fragment), fragment[sizeof(uint)], fragment[sizeof(uint) + 1]);
        if (count < 2 || count > options.MaxFragments || index >= count)
            return -1;

        GiveUpOld(now);
        var slot = Find(message, count, now);
        var whole = _pending[slot]!;
        if (whole.Count != count || whole.Parts[index] is not null)
            return -1;
        whole.Parts[index] = fragment.Slice(HeaderSize).ToArray();
        whole.Size += fragment.Length - HeaderSize;
        if (++whole.Arrived < count)
            return 0;

        _pending[slot] = null;
        frame = ArrayPool<byte>.Shared.Rent(whole.Size);
        var size = 0;
        foreach (var part in whole.Parts)
        {
            part!.CopyTo(frame, size);
            size += part.Length;
        }

        whole.Clear();
        return size;
    }

    /// <summary>Drops messages that have waited too long for their fragments.</summary>
    /// <param name="now">The current time.</param>
    /// <returns>Whether any message still waits.</returns>
    public bool GiveUpOld(TimeSpan now)
    {
        var waits = false;
        for (var i = 0; i < _pending.Length; i++)
        {
            if (_pending[i] is not { } pending)
                continue;
            if (now - pending.Since < s_patience)
                waits = true;
            else
                GiveUp(ref _pending[i]);
        }

        return waits;
    }

    /// <summary>Drops all messages.</summary>
    public void GiveUpAll()
    {
        for (var i = 0; i < _pending.Length; i++)
        {
            if (_pending[i] is not null)
                GiveUp(ref _pending[i]);
        }
    }

    /// <summary>Returns the slot of a message. If four other messages occupy all slots, replaces the oldest.</summary>
    private int Find(uint message, int count, TimeSpan now)
    {
        var oldest = 0;
        for (var i = 0; i < _pending.Length; i++)
        {
            if (_pending[i]?.Message == message)
                return i;
            if (_pending[oldest] is { } other && (_pending[i] is not { } one || one.Since < other.Since))
                oldest = i;
        }

        if (_pending[oldest] is not null)
            GiveUp(ref _pending[oldest]);
        _pending[oldest] = new Pending(message, count, now);
        return oldest;
    }

    private void GiveUp(ref Pending? slot)
    {
        slot!.Clear();
        slot = null;
        counts.CountDropped(DatagramDropReason.Incomplete);
    }

    private sealed class Pending(uint message, int count, TimeSpan since)
    {
        public uint Message => message;

        public int Count => count;

        public TimeSpan Since => since;

        public byte[]?[] Parts { get; } = new byte[count][];

        public int Arrived { get; set; }

        public int Size { get; set; }

        public void Clear()
        {
            foreach (var part in Parts)
                part.AsSpan().Clear();
        }
    }
}
