namespace Reloaded.Messaging;

/// <summary>Limits a rate per second and the size of a burst. Unused tokens accumulate up to the capacity of the bucket.</summary>
internal struct TokenBucket
{
    private readonly double _rate;
    private readonly double _capacity;
    private double _tokens;

    /// <param name="rate">The number of tokens per second, or <see langword="null"/> for no limit.</param>
    /// <param name="burst">The time in which an empty bucket fills.</param>
    public TokenBucket(int? rate, TimeSpan burst)
    {
        _rate = rate ?? double.PositiveInfinity;
        _capacity = _tokens = Math.Max(1, _rate * burst.TotalSeconds);
    }

    public void Fill(TimeSpan passed) => _tokens = Math.Min(_capacity, _tokens + (_rate * Math.Max(passed.TotalSeconds, 1e-9)));

    /// <returns><see langword="true"/> if the tokens were taken; <see langword="false"/> if the bucket has fewer tokens, in which case it does not change.</returns>
    public bool TryTake(int count)
    {
        if (_tokens < count)
            return false;
        _tokens -= count;
        return true;
    }
}
