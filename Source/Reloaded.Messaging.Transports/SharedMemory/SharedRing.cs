using System;
using System.IO;
using System.Threading;

namespace Reloaded.Messaging;

/// <summary>A ring of fixed-size structs in shared memory, one way, between two threads or processes of one user: for telemetry that must not wait.</summary>
/// <remarks>
/// One side writes and one side reads. There is no handshake, no token and no notice of a new item: the reader looks when it wants to. Each
/// process of this user can open the ring. <c>docs/shared-memory.md</c> describes the layout.
/// </remarks>
/// <example><code>
/// using var writer = SharedRing.Create&lt;Sample&gt;("frames", capacity: 1024, FullMode.DropOldest);
/// writer.TryWrite(new Sample(1, 16.6f));
///
/// using var reader = SharedRing.Open&lt;Sample&gt;("frames"); // in another process
/// while (reader.TryRead(out Sample sample))
///     Console.WriteLine($"{sample.Frame}: {sample.Milliseconds} ms");
///
/// public readonly record struct Sample(int Frame, float Milliseconds);
/// </code></example>
public static unsafe class SharedRing
{
    private static readonly FullMode[] s_fullModes = [FullMode.Reject, FullMode.DropOldest];

    /// <summary>Creates a ring to write to.</summary>
    /// <typeparam name="T">The items: structs without references, up to 64 KiB, of the same layout in both processes.</typeparam>
    /// <param name="name">Letters, digits, dots, dashes and underscores.</param>
    /// <param name="capacity">The number of items that it holds, a power of two (2–16,777,216).</param>
    /// <param name="fullMode">The behavior while the ring is full. With <see cref="FullMode.Reject"/>, <see cref="SharedRingWriter{T}.TryWrite"/> returns <c>false</c>. <see cref="FullMode.Wait"/> is not accepted, because the writer never waits.</param>
    /// <returns>The writer. Dispose it to remove the ring; after a crash, the next <see cref="Create{T}"/> of the name replaces the ring.</returns>
    /// <exception cref="ArgumentOutOfRangeException">Thrown when the ring does not accept the capacity or the behavior.</exception>
    /// <exception cref="InvalidOperationException">Thrown when a live process has a ring of this name.</exception>
    public static SharedRingWriter<T> Create<T>(string name, int capacity, FullMode fullMode = FullMode.Reject)
        where T : unmanaged
    {
        CheckItem<T>();
        if (!SharedRingLayout.IsCapacity(capacity))
            throw new ArgumentOutOfRangeException(nameof(capacity), capacity, $"{capacity} is no capacity of a shared ring: it is a power of two from 2 to {SharedRingLayout.MaxCapacity}.");
        Guard.OneOf("a shared ring", s_fullModes, fullMode, nameof(fullMode));

        MapFile file;
        try
        {
            file = MapFile.Create(FileName(name), SharedRingLayout.SizeFor(capacity, sizeof(T)));
        }
        catch (IOException e)
        {
            throw new InvalidOperationException($"The shared ring '{name}' can't be created: {e.Message} A live process may have a ring of this name: dispose its writer, or choose another name.", e);
        }

        var start = file.Map.Start;
        var writer = ProcessIdentity.OfThis();
        *(int*)(start + SharedRingLayout.ModeOffset) = (int)fullMode;
        *(int*)(start + SharedRingLayout.ItemSizeOffset) = sizeof(T);
        *(int*)(start + SharedRingLayout.CapacityOffset) = capacity;
        *(int*)(start + SharedRingLayout.ProcessIdOffset) = writer.Id;
        *(long*)(start + SharedRingLayout.ProcessStartOffset) = writer.Started;
        Volatile.Write(ref *(ulong*)(start + SharedRingLayout.MagicOffset), SharedRingLayout.Magic); // release: the rest comes before
        return new SharedRingWriter<T>(file.Map, capacity, fullMode, file);
    }

    /// <summary>Opens a ring to read from.</summary>
    /// <typeparam name="T">The items, of the layout that the writer has.</typeparam>
    /// <param name="name">The name that the writer gave.</param>
    /// <returns>The reader. A ring has one reader at a time.</returns>
    /// <exception cref="FileNotFoundException">Thrown when there is no ring of this name.</exception>
    /// <exception cref="InvalidDataException">Thrown when the items have another size, or the map is no ring.</exception>
    public static SharedRingReader<T> Open<T>(string name)
        where T : unmanaged
    {
        CheckItem<T>();
        int itemSize, capacity;
        FullMode mode;
        ProcessIdentity writer;
        using (var header = MapFile.Open(FileName(name), SharedRingLayout.Slots))
        {
            var start = header.Start;
            if (Volatile.Read(ref *(ulong*)(start + SharedRingLayout.MagicOffset)) != SharedRingLayout.Magic)
                throw new InvalidDataException($"The shared ring '{name}' is not ready, or is no ring of this version. Try again once its writer was created.");
            mode = (FullMode)(*(int*)(start + SharedRingLayout.ModeOffset));
            itemSize = *(int*)(start + SharedRingLayout.ItemSizeOffset);
            capacity = *(int*)(start + SharedRingLayout.CapacityOffset);
            writer = new ProcessIdentity(*(int*)(start + SharedRingLayout.ProcessIdOffset), *(long*)(start + SharedRingLayout.ProcessStartOffset));
        }

        if (itemSize != sizeof(T))
            throw new InvalidDataException($"The shared ring '{name}' has items of {itemSize} bytes, and {typeof(T)} has {sizeof(T)}. Use the writer's type.");
        if (!SharedRingLayout.IsCapacity(capacity) || Array.IndexOf(s_fullModes, mode) < 0)
            throw new InvalidDataException($"The shared ring '{name}' is damaged: its capacity is {capacity} and its mode {mode}.");
        var map = MapFile.Open(FileName(name), SharedRingLayout.SizeFor(capacity, itemSize));
        return new SharedRingReader<T>(map, capacity, mode, () => ProcessIdentity.TryGet(writer.Id) is not { } found || !found.IsSame(writer));
    }

    private static string FileName(string name) => "ring-" + LocalName.Check(name);

    private static void CheckItem<T>()
        where T : unmanaged
    {
        if (!SharedRingLayout.IsItemSize(sizeof(T)))
            throw new ArgumentException($"{typeof(T)} has {sizeof(T)} bytes; an item of a shared ring has at most {SharedRingLayout.MaxItemSize}. Split it, or write a smaller struct.");
    }
}

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

    /// <summary>The number of items read. The reader's; the writer reads it with <see cref="FullMode.Reject"/>.</summary>
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
