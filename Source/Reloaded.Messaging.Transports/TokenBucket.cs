using System;

namespace Reloaded.Messaging;

/// <summary>So many a second, and so many at once: what isn't used fills the bucket up to its brim.</summary>
internal struct TokenBucket
{
    private readonly double _rate;
    private readonly double _brim;
    private double _tokens;

    /// <param name="rate">Tokens a second; null for no limit.</param>
    /// <param name="burst">How long it takes to fill.</param>
    public TokenBucket(int? rate, TimeSpan burst)
    {
        _rate = rate ?? double.PositiveInfinity;
        _brim = _tokens = Math.Max(1, _rate * burst.TotalSeconds);
    }

    public void Fill(TimeSpan passed) => _tokens = Math.Min(_brim, _tokens + (_rate * Math.Max(passed.TotalSeconds, 1e-9)));

    /// <returns>False if there are too few; then none were taken.</returns>
    public bool TryTake(int count)
    {
        if (_tokens < count)
            return false;
        _tokens -= count;
        return true;
    }
}
