namespace Reloaded.Messaging;

/// <summary>Decides which key offers are answered. The time of the work is divided into halves, one for sources that are new and one for the others.</summary>
/// <remarks>
/// A program that has the token can offer keys from many addresses, as often as the network carries. Each of its addresses is new once within <see cref="Memory"/>, so the half of the new ones remains for clients at other addresses.
/// A player who joins again is not new, and does not wait for new ones either. A half that nobody uses is used by the sources of the other half.
/// The burst of the new ones is long: a flood from a thousand addresses has then spent that they are new within seconds, and a server that was started again answers as many players.
/// Sources are known by their hashes, which differ between processes. One thread adds offers, and another one notes their work.
/// </remarks>
internal sealed class OfferAdmission
{
    /// <summary>The time for which a source that was answered is not new, at least. It is new again after twice this time.</summary>
    public static readonly TimeSpan Memory = TimeSpan.FromMinutes(10);

    /// <summary>The time of work by which new sources may be ahead of their share.</summary>
    public static readonly TimeSpan BurstOfNew = TimeSpan.FromSeconds(2);

    /// <summary>The time of work by which the others may be ahead of theirs.</summary>
    public static readonly TimeSpan BurstOfOthers = TimeSpan.FromSeconds(0.1);

    /// <summary>The sources that are remembered of each <see cref="Memory"/>. Beyond them, no source is new.</summary>
    private const int MaxSources = 16_384;

    private readonly WorkShare _ofNew = new(BurstOfNew);
    private readonly WorkShare _ofOthers = new(BurstOfOthers);
    private readonly HashSet<int>[] _answered = [[], []]; // the hashes of the sources that were answered, in this time and the one before
    private int _times; // that have begun

    /// <summary>Returns whether an offer of a source can be added: neither the number of waiting offers nor the time of the work is at its limit for the source.</summary>
    /// <param name="source">The source, as <see cref="UdpSocket.SourceOf"/> returns it.</param>
    /// <param name="waiting">The number of offers that wait.</param>
    /// <param name="now">The time since the begin.</param>
    public bool HasRoom(ReadOnlySpan<byte> source, int waiting, TimeSpan now)
    {
        var isNew = IsNew(source, now);
        return waiting < (isNew ? KeyOffers.MaxWaiting : KeyOffers.MaxWaiting / 2) && FindShare(isNew, now) is not null;
    }

    /// <summary>Records that an offer of a source was added, after <see cref="HasRoom"/>.</summary>
    /// <returns>The share of time to which its work belongs.</returns>
    public WorkShare Add(ReadOnlySpan<byte> source, TimeSpan now)
    {
        var isNew = IsNew(source, now);
        if (isNew)
            _answered[_times % 2].Add(HashOf(source));
        return FindShare(isNew, now) ?? _ofOthers; // there was time when HasRoom was asked
    }

    private bool IsNew(ReadOnlySpan<byte> source, TimeSpan now)
    {
        for (; now >= (_times + 1) * Memory; _answered[_times % 2].Clear())
            _times++;
        var hash = HashOf(source);
        return _answered[_times % 2].Count < MaxSources && !_answered[0].Contains(hash) && !_answered[1].Contains(hash);
    }

    private WorkShare? FindShare(bool isNew, TimeSpan now)
    {
        if (isNew)
            return _ofNew.HasTime(now, 1) ? _ofNew : _ofOthers.HasTime(now, 0) ? _ofOthers : null;
        return _ofOthers.HasTime(now, 1) ? _ofOthers : _ofNew.HasTime(now, 0.5) ? _ofNew : null;
    }

    private static int HashOf(ReadOnlySpan<byte> source)
    {
        var hash = default(HashCode);
        hash.AddBytes(source);
        return hash.ToHashCode();
    }
}

/// <summary>Limits work to a tenth of the time of one processor, by the measured time. One thread notes work, and other threads may ask.</summary>
/// <param name="burst">The work that may be ahead of its share.</param>
internal sealed class WorkShare(TimeSpan burst)
{
    /// <summary>The time that must pass for each unit of work.</summary>
    public const int Factor = 10;

    private long _balancedAt; // the time at which the noted work is its share, in ticks

    /// <summary>Returns whether the work until now is ahead of its share by no more than a part of the burst (0–1).</summary>
    public bool HasTime(TimeSpan now, double part) => Volatile.Read(ref _balancedAt) - now.Ticks <= burst.Ticks * part * Factor;

    /// <summary>Records work.</summary>
    public void Note(TimeSpan start, TimeSpan end) => Volatile.Write(ref _balancedAt, Math.Max(_balancedAt, start.Ticks) + (Factor * (end - start).Ticks));
}
