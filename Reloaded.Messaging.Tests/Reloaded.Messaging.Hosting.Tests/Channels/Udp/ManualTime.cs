using System;

namespace Reloaded.Messaging.Tests.Channels.Udp;

/// <summary>A clock that a test sets.</summary>
internal sealed class ManualTime : TimeProvider
{
    public TimeSpan Now { get; set; } = TimeSpan.FromDays(1);

    public override long TimestampFrequency => TimeSpan.TicksPerSecond;

    public override long GetTimestamp() => Now.Ticks;
}
