using System;

namespace Reloaded.Messaging;

/// <summary>Knows which of the last 1024 numbers came.</summary>
internal sealed class ReplayWindow
{
    public const int Size = 1024;

    private const int WordBits = 64;

    // One word more than the window: the word that the newest number is in is part of both ends.
    private const int Words = (Size / WordBits) + 1;

    private readonly ulong[] _seen = new ulong[Words];
    private bool _hasAny;

    /// <summary>The largest number that came.</summary>
    public ulong Newest { get; private set; }

    /// <returns>Ok for a number that did not come yet. Changes nothing: who sent it isn't known yet.</returns>
    public OpenStatus Check(ulong number)
    {
        if (!_hasAny || number > Newest)
            return OpenStatus.Ok;
        if (Newest - number >= Size)
            return OpenStatus.TooOld;
        return (_seen[WordOf(number)] & BitOf(number)) == 0 ? OpenStatus.Ok : OpenStatus.Replayed;
    }

    /// <summary>Notes a number that was <see cref="OpenStatus.Ok"/>.</summary>
    public void Note(ulong number)
    {
        if (!_hasAny || number > Newest)
        {
            var first = _hasAny ? (Newest / WordBits) + 1 : 0;
            var last = number / WordBits;
            if (last >= first && last - first >= Words)
                Array.Clear(_seen);
            else
            {
                for (var word = first; word <= last; word++)
                    _seen[(int)(word % Words)] = 0;
            }

            Newest = number;
            _hasAny = true;
        }

        _seen[WordOf(number)] |= BitOf(number);
    }

    private static int WordOf(ulong number) => (int)(number / WordBits % Words);

    private static ulong BitOf(ulong number) => 1UL << (int)(number % WordBits);
}
