using System;

namespace Reloaded.Messaging.Transports.LiteNetLib;

/// <summary>The options of a <see cref="CompatibleHost"/>. Immutable. Those of LiteNetLib are <see cref="LiteNetOptions"/>.</summary>
public sealed record CompatibleHostOptions
{
    /// <summary>The limits of the size of a message (default: 1 MiB, and 1 MiB after decompression).</summary>
    public MessageLimits MessageLimits { get; init; } = MessageLimits.Default;

    /// <summary>The maximum time for which a disconnect, and disposing the host, waits until the queued messages are sent, and once more until the other program has acknowledged them (more than zero, at most 24 days; default: 1 s).</summary>
    /// <remarks>Messages that are left are lost: <see cref="CompatibleHost.MessagesLost"/> reports them.</remarks>
    public TimeSpan FlushTimeout
    {
        get;
        init => field = Guard.PositiveUpTo(TimeSpan.FromDays(24), value); // the maximum delay of the timers of every runtime
    } = TimeSpan.FromSeconds(1);
}
