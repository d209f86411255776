using System;

namespace Reloaded.Messaging;

/// <summary>How a connection over shared memory behaves. Immutable.</summary>
public sealed record SharedMemoryOptions
{
    /// <summary>
    /// How long a side looks for the next message before its thread sleeps (0–10 ms; default: <c>null</c>, which adapts the time between 1 and
    /// 50 µs to the traffic, tries 200 µs now and then, and does not spin on a machine with one processor). The thread uses a processor for that
    /// time, and yields it to other threads.
    /// </summary>
    /// <exception cref="ArgumentOutOfRangeException">Thrown when the time is negative or longer than 10 ms.</exception>
    public TimeSpan? SpinTime
    {
        get;
        init => field = value is { } time ? Guard.Between(TimeSpan.Zero, TimeSpan.FromMilliseconds(10), time) : null;
    }

    /// <summary>
    /// The bytes that each direction of a connection holds: a power of two (4 KiB–1 GiB; default: 256 KiB). The server's value counts. A
    /// larger message passes through the ring in parts.
    /// </summary>
    /// <exception cref="ArgumentOutOfRangeException">Thrown when the value is no power of two in that range.</exception>
    public int RingSize
    {
        get;
        init => field = RingLayout.IsCapacity(value)
            ? value
            : throw new ArgumentOutOfRangeException(nameof(value), value, $"{value} is no size of a ring: it is a power of two from {RingLayout.MinCapacity} to {RingLayout.MaxCapacity} bytes.");
    } = 256 * 1024;
}
