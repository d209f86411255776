namespace Reloaded.Messaging;

/// <summary>How a connection over shared memory behaves. Only tests set other values: the time adapts to the traffic, and a message of any size passes through the ring in parts.</summary>
internal sealed class SharedMemoryOptions
{
    /// <summary>How long a side looks for the next message before its thread sleeps; <c>null</c> adapts the time between 1 and 50 µs to the traffic.</summary>
    public TimeSpan? SpinTime { get; init; }

    /// <summary>The bytes that each direction of a connection holds: a power of two. The server's value counts.</summary>
    public int RingSize { get; init; } = 256 * 1024;
}
