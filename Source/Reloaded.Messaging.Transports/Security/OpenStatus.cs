namespace Reloaded.Messaging;

/// <summary>What a packet is.</summary>
internal enum OpenStatus
{
    /// <summary>What the other side sent, for the first time.</summary>
    Ok,

    /// <summary>It came before.</summary>
    Replayed,

    /// <summary>So late that nobody knows any more whether it came before.</summary>
    TooOld,

    /// <summary>Not what the other side sent: altered, cut, made up, or under a key that is not there.</summary>
    Forged,

    /// <summary>The connection was freed.</summary>
    Closed,
}
