namespace Reloaded.Messaging;

/// <summary>The offsets of the map of a <see cref="SharedRing"/>, in bytes. <c>docs/shared-memory.md</c> shows the layout.</summary>
internal static class SharedRingLayout
{
    public const ulong Magic = 0x31676E6952734D52; // "RMsRing1"

    public const int MagicOffset = 0x00;
    public const int ModeOffset = 0x08;
    public const int ItemSizeOffset = 0x0C;
    public const int CapacityOffset = 0x10;
    public const int ProcessIdOffset = 0x14;
    public const int ProcessStartOffset = 0x18;

    /// <summary>The number of items written. The writer's.</summary>
    public const int Tail = 0x100;

    /// <summary>The number of items dropped. The writer's.</summary>
    public const int Dropped = 0x108;

    /// <summary>1 once the writer is disposed. The writer's.</summary>
    public const int Closed = 0x110;

    /// <summary>The number of items read. The reader's; the writer reads it in the mode <see cref="SharedRingMode.DropNewest"/>.</summary>
    public const int Head = 0x180;

    public const int Slots = 0x1000;

    /// <summary>The sequence number before each item: twice its index, plus 1 while it is written and 2 when it is whole.</summary>
    public const int SequenceSize = sizeof(long);

    public const int MaxCapacity = 1 << 24;
    public const int MaxItemSize = 64 * 1024;

    /// <summary>The distance from one slot to the next: a multiple of 8, so that each sequence is aligned.</summary>
    public static int SlotSize(int itemSize) => SequenceSize + ((itemSize + 7) & ~7);

    public static bool IsCapacity(int items) => items is >= 2 and <= MaxCapacity && (items & (items - 1)) == 0;

    public static bool IsItemSize(int bytes) => bytes is >= 1 and <= MaxItemSize;

    public static long SizeFor(int capacity, int itemSize) => Slots + ((long)capacity * SlotSize(itemSize));
}
