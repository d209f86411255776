namespace Reloaded.Messaging;

/// <summary>What the producer of a ring says about its end.</summary>
internal enum RingEnd
{
    /// <summary>The producer writes on, or died.</summary>
    Open = 0,

    /// <summary>The producer has written all it had.</summary>
    Complete = 1,

    /// <summary>The producer broke off.</summary>
    Aborted = 2,
}
