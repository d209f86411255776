using System.Runtime.InteropServices;

namespace Reloaded.Messaging;

/// <summary>Both ends of a ring, on separate cache lines, so that producers and consumers do not slow each other down.</summary>
/// <remarks>They are 128 bytes apart, because processors fetch lines in pairs. Not nested in the ring: a generic type cannot have an explicit layout.</remarks>
[StructLayout(LayoutKind.Explicit, Size = 384)]
internal struct RingEnds
{
    /// <summary>The position of the next item to add.</summary>
    [FieldOffset(128)]
    public long Tail;

    /// <summary>The position at which producers stop, as they last read it from the head and the room.</summary>
    [FieldOffset(136)]
    public long Limit;

    /// <summary>The position of the oldest item.</summary>
    [FieldOffset(256)]
    public long Head;

    /// <summary>The number of items that the ring may hold now.</summary>
    [FieldOffset(264)]
    public int Room;
}
