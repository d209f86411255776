using System.Runtime.InteropServices;

namespace Reloaded.Messaging;

/// <summary>Both ends of a ring, on cache lines of their own, so that producers and consumer do not slow each other down.</summary>
/// <remarks>128 bytes apart, since processors fetch lines in pairs. Not nested in the ring: a generic type can't have an explicit layout.</remarks>
[StructLayout(LayoutKind.Explicit, Size = 384)]
internal struct RingEnds
{
    /// <summary>Where the next item goes.</summary>
    [FieldOffset(128)]
    public long Tail;

    /// <summary>Where the oldest item is.</summary>
    [FieldOffset(256)]
    public long Head;
}
