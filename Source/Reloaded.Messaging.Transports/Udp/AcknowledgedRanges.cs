using System.Buffers.Binary;
using System.Numerics;
using Reloaded.Messaging.Wire;

namespace Reloaded.Messaging;

/// <summary>Reads the ranges of an acknowledgement, newest first.</summary>
internal ref struct AcknowledgedRanges
{
    /// <summary>The number and the delay.</summary>
    public const int HeaderSize = sizeof(ulong) + sizeof(uint);

    private ReadOnlySpan<byte> _rest;
    private bool _hasBegun;

    /// <summary>The newest received number.</summary>
    public ulong Largest { get; private set; }

    /// <summary>The time between its arrival and the acknowledgement.</summary>
    public long Delay { get; private set; }

    /// <summary>The oldest number of the current range.</summary>
    public ulong Start { get; private set; }

    /// <summary>The newest number of the current range.</summary>
    public ulong End { get; private set; }

    /// <summary>Checks an acknowledgement.</summary>
    /// <param name="body">The body of the part.</param>
    /// <param name="next">The number of the next datagram of this side.</param>
    /// <param name="ranges">Receives the ranges.</param>
    /// <returns><see langword="false"/> if the body is malformed, or names datagrams that were never sent.</returns>
    public static bool TryRead(ReadOnlySpan<byte> body, ulong next, out AcknowledgedRanges ranges)
    {
        ranges = default;
        if (body.Length <= HeaderSize)
            return false;
        var largest = BinaryPrimitives.ReadUInt64LittleEndian(body);
        if (largest >= next)
            return false;
        ranges._rest = body.Slice(HeaderSize);
        ranges.Largest = ranges.End = largest;
        ranges.Delay = BinaryPrimitives.ReadUInt32LittleEndian(body.Slice(sizeof(ulong))) * TimeSpan.TicksPerMicrosecond;
        var check = ranges;
        while (!check._rest.IsEmpty)
        {
            if (!check.TryReadNext())
                return false;
        }

        return true;
    }

    /// <summary>Continues with the next range.</summary>
    public bool MoveNext() => !_rest.IsEmpty && TryReadNext();

    private bool TryReadNext()
    {
        var gap = 0u;
        if (_hasBegun && !TryReadCount(out gap))
            return false;
        if (!TryReadCount(out var length))
            return false;
        var end = _hasBegun ? Start : End + 1; // the number after the range and the gap
        if ((ulong)gap + length > end)
            return false;
        End = end - gap - 1;
        Start = end - gap - length;
        _hasBegun = true;
        return true;
    }

    private bool TryReadCount(out uint count)
    {
        if (UVarint.TryRead(_rest, out count, out var size) != HeaderStatus.Ok || count == 0)
            return false;
        _rest = _rest.Slice(size);
        return true;
    }
}
