using System;

namespace Reloaded.Messaging.Benchmarks.Generated;

/// <summary>A value that changed, as a server tells its subscribers.</summary>
[Message(31, Pooled = true)]
public sealed class Notification
{
    public uint Id { get; set; }
    public double Value { get; set; }
    public uint Status { get; set; }
    public DateTime SourceTime { get; set; }
    public DateTime ServerTime { get; set; }
}
