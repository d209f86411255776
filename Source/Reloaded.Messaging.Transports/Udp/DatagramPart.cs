namespace Reloaded.Messaging;

/// <summary>What the body of a datagram is.</summary>
internal enum DatagramPart : byte
{
    /// <summary>Whole frames.</summary>
    Frames = 0,

    /// <summary>uint32 number · 01 if more of the same belong to it, else 00 · bytes. A part of frames that arrive in order and are acknowledged.</summary>
    Segment = 1,

    /// <summary>uint32 number of the first segment that is missing · uint32, in which bit n says that the one n behind it is there.</summary>
    Acknowledgement = 2,

    /// <summary>uint32 number of the message · byte index · byte count · bytes. A part of one frame.</summary>
    Fragment = 3,

    /// <summary>Nothing: the sender knows the keys.</summary>
    Confirmation = 4,

    /// <summary>Nothing: the sender closes.</summary>
    Close = 5,
}
