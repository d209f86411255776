using System;
using System.Threading;

namespace Reloaded.Messaging;

/// <summary>Decides which key offers are answered: the work is limited, and half of the limits is kept for sources that are new.</summary>
/// <remarks>
/// A program that has the token can offer keys from many addresses, as often as the network carries. Its addresses are new only once in <see cref="Memory"/>, so a client at another address does not wait behind them.
/// The memory is constant. Sources with the same hash share a slot, and the hash differs between processes. One thread adds offers, and another one notes their work.
/// </remarks>
internal sealed class OfferAdmission
{
    /// <summary>The time for which a source that was answered is not new.</summary>
    public static readonly TimeSpan Memory = TimeSpan.FromMinutes(10);

    private const int Slots = 16_384;

    private readonly WorkShare _share = new();
    private readonly int[] _newFrom = new int[Slots]; // the second from which a source is new again

    /// <summary>Returns whether an offer of a source can be added: neither the number of waiting offers nor the time of the work is at its limit for the source.</summary>
    /// <param name="source">The source, as <see cref="UdpSocket.SourceOf"/> returns it.</param>
    /// <param name="waiting">The number of offers that wait.</param>
    /// <param name="now">The time since the begin.</param>
    public bool HasRoom(ReadOnlySpan<byte> source, int waiting, TimeSpan now)
    {
        var isNew = _newFrom[SlotOf(source)] <= (int)now.TotalSeconds;
        return waiting < (isNew ? KeyOffers.MaxWaiting : KeyOffers.MaxWaiting / 2) && _share.HasTime(now, isNew ? WorkShare.Burst : WorkShare.Burst / 2);
    }

    /// <summary>Records that an offer of a source was added.</summary>
    public void NoteAdded(ReadOnlySpan<byte> source, TimeSpan now) => _newFrom[SlotOf(source)] = (int)(now + Memory).TotalSeconds;

    /// <summary>Records the work for an offer.</summary>
    public void NoteWork(TimeSpan start, TimeSpan end) => _share.Note(start, end);

    private static int SlotOf(ReadOnlySpan<byte> source)
    {
        var hash = default(HashCode);
        hash.AddBytes(source);
        return (int)((uint)hash.ToHashCode() % Slots);
    }
}

/// <summary>Limits work to a fifth of the time of one processor, by the measured time. One thread notes work, and other threads may ask.</summary>
internal sealed class WorkShare
{
    /// <summary>The time that must pass for each unit of work.</summary>
    public const int Factor = 5;

    /// <summary>The time by which the work may be ahead of its share.</summary>
    public static readonly TimeSpan Burst = TimeSpan.FromSeconds(1);

    private long _balancedAt; // the time at which the noted work is its share, in ticks

    /// <summary>Returns whether the work until now is ahead of its share by no more than <paramref name="burst"/>.</summary>
    public bool HasTime(TimeSpan now, TimeSpan burst) => Volatile.Read(ref _balancedAt) - now.Ticks <= burst.Ticks;

    /// <summary>Records work.</summary>
    public void Note(TimeSpan start, TimeSpan end) => Volatile.Write(ref _balancedAt, Math.Max(_balancedAt, start.Ticks) + (Factor * (end - start).Ticks));
}
