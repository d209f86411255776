namespace Reloaded.Messaging;

/// <summary>The end of a ring, as its producer sets it.</summary>
internal enum RingEnd
{
    /// <summary>The producer writes on, or died.</summary>
    Open = 0,

    /// <summary>The producer has written all it had.</summary>
    Complete = 1,

    /// <summary>The producer broke off.</summary>
    Aborted = 2,
}
