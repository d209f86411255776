namespace Reloaded.Messaging;

/// <summary>The offsets of a connection's map, in bytes. <c>docs/specification/shared-memory.md</c> shows the layout and the order of each load and store.</summary>
/// <remarks>
/// The map starts at a page. Each field that one side writes while the other side reads has 128 bytes to itself: a cache line and the line
/// that x64 processors fetch along with it.
/// </remarks>
internal static class RingLayout
{
    public const ulong Magic = 0x316D656D68534D52; // "RMShmem1"

    public const int MagicOffset = 0;
    public const int CapacityOffset = 8;
    public const int IdentityOffset = 16;
    public const int IdentitySize = 16;

    /// <summary>The ring that the server writes.</summary>
    public const int ServerRing = 0x100;

    /// <summary>The ring that the client writes.</summary>
    public const int ClientRing = 0x400;

    /// <summary>In a ring: the number of bytes written, modulo 2^32. Written by the producer.</summary>
    public const int Tail = 0x000;

    /// <summary>In a ring: the number of bytes read, modulo 2^32. Written by the consumer.</summary>
    public const int Head = 0x080;

    /// <summary>In a ring: whether the producer has ended, a <see cref="RingEnd"/>. Written by the producer.</summary>
    public const int End = 0x100;

    /// <summary>In a ring: whether the consumer sleeps, a <see cref="SleepState"/>. Written by the consumer; set to 0 by the side that wakes it.</summary>
    public const int ConsumerSleep = 0x180;

    /// <summary>In a ring: whether the producer sleeps, a <see cref="SleepState"/>. Written by the producer; set to 0 by the side that wakes it.</summary>
    public const int ProducerSleep = 0x200;

    /// <summary>The bytes of the server's ring; those of the client's ring follow.</summary>
    public const int Data = 0x1000;

    public const int MinCapacity = 4096;
    public const int MaxCapacity = 1 << 30;

    public static bool IsCapacity(int bytes) => bytes is >= MinCapacity and <= MaxCapacity && (bytes & (bytes - 1)) == 0;

    public static long SizeFor(int capacity) => Data + (2L * capacity);
}

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

/// <summary>The state of the thread of one side that waits for the other side.</summary>
internal static class SleepState
{
    /// <summary>The thread looks by itself: no wake-up is needed.</summary>
    public const int Awake = 0;

    /// <summary>The thread sleeps, or is about to, until the other side has moved its position or has ended.</summary>
    public const int Waiting = 1;

    /// <summary>The thread sleeps and has nothing to wait for: its own process wakes it.</summary>
    public const int Idle = 2;
}
