using System.Numerics;

namespace Reloaded.Messaging;

/// <summary>Records which of the last 1024 packet numbers were received.</summary>
internal sealed class ReplayWindow
{
    public const int Size = PacketOpener.MaxLateness;

    public const int WordBits = 64;

    // One more word than the window size: the word of the newest number contains both ends of the window.
    private const int Words = (Size / WordBits) + 1;

    private readonly ulong[] _seen = new ulong[Words];
    private ulong _first;

    /// <summary>Whether any number was received.</summary>
    public bool HasAny { get; private set; }

    /// <summary>The largest number received.</summary>
    public ulong Newest { get; private set; }

    /// <returns><see cref="OpenStatus.Ok"/> if the number was not received yet. Changes no state, because the sender is not authenticated yet.</returns>
    public OpenStatus Check(ulong number)
    {
        if (!HasAny || number > Newest)
            return OpenStatus.Ok;
        if (Newest - number >= Size)
            return OpenStatus.TooOld;
        return (_seen[IndexOf(number)] & BitOf(number)) == 0 ? OpenStatus.Ok : OpenStatus.Replayed;
    }

    /// <summary>Records a number for which <see cref="Check"/> returned <see cref="OpenStatus.Ok"/>.</summary>
    public void Note(ulong number)
    {
        if (!HasAny || number > Newest)
        {
            var first = HasAny ? (Newest / WordBits) + 1 : 0;
            var last = number / WordBits;
            if (last >= first && last - first >= Words)
                Array.Clear(_seen);
            else
            {
                for (var word = first; word <= last; word++)
                    _seen[(int)(word % Words)] = 0;
            }

            if (!HasAny)
                _first = number;
            Newest = number;
            HasAny = true;
        }

        _seen[IndexOf(number)] |= BitOf(number);
    }

    /// <summary>Returns the bits of the <see cref="WordBits"/> numbers around a number of the window: bit n is set if the number whose remainder is n was received.</summary>
    public ulong WordOf(ulong number) => _seen[IndexOf(number)];

    /// <summary>Returns the share of the numbers since the first one, at most the last <see cref="Size"/>, that were not received.</summary>
    /// <returns>0–1; <see langword="null"/> before the first number.</returns>
    public double? GetMissingShare()
    {
        if (!HasAny)
            return null;
        var count = (int)Math.Min(Newest - _first, Size - 1) + 1; // the newest number may be the largest one
        var oldest = Newest - (ulong)(count - 1);
        var received = -BitOperations.PopCount(WordOf(oldest) & (BitOf(oldest) - 1)); // the numbers below the oldest one, in its word
        for (var word = oldest / WordBits; word <= Newest / WordBits; word++)
            received += BitOperations.PopCount(WordOf(word * WordBits));
        return (count - received) / (double)count;
    }

    private static int IndexOf(ulong number) => (int)(number / WordBits % Words);

    private static ulong BitOf(ulong number) => 1UL << (int)(number % WordBits);
}
